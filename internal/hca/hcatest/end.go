package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

// setup says how an end is made. Zero values are modest defaults.
type setup struct {
	send, recv int // depths; 0: 64
	entries    int // of each completion queue; 0: 256
	sge        int // 0: 4
	reads      int // under way in each direction; 0: 4
	noReads    bool
	oneQueue   bool
	solicit    bool // QPConfig.SolicitQuiet
	refuse     hca.Access
	record     bool // QPConfig.Record
	latency    bool // QPConfig.Latency
	pd         hca.PD
	srq        hca.SRQ
	sq, rq     *queue // nil: new ones
	hook       func(*end, hca.ConnEvent)
}

// end is a queue pair with its queues and memory.
type end struct {
	*side
	pd     hca.PD
	qp     hca.QP
	sq, rq *queue
	ev     *events
	info   *hca.ConnInfo // when connected
	// mail is 64 bytes that the peer may read and write.
	mail   *region
	sge    int // segments of one request
	ids    uint64
	closed bool
}

const mailLen = 64

func or(v, def int) int {
	if v == 0 {
		return def
	}
	return v
}

func (s *side) end(cfg setup) *end {
	s.Helper()
	e := &end{side: s, pd: s.pd, sq: cfg.sq, rq: cfg.rq}
	if cfg.pd != nil {
		e.pd = cfg.pd
	}
	if e.sq == nil {
		e.sq = s.queue(or(cfg.entries, 256))
	}
	if e.rq == nil {
		if e.rq = e.sq; !cfg.oneQueue {
			e.rq = s.queue(or(cfg.entries, 256))
		}
	}
	var hook func(hca.ConnEvent)
	if cfg.hook != nil {
		hook = func(ev hca.ConnEvent) { cfg.hook(e, ev) }
	}
	e.ev = newEvents(s.env, s.name, hook)
	qc := e.config(cfg)
	qp, err := s.ad.NewQP(qc)
	s.must(s.name+": NewQP", err)
	e.qp = qp
	e.mail = s.regionIn(e.pd, mailLen, s.all())
	s.ends = append(s.ends, e)
	return e
}

func (e *end) config(cfg setup) hca.QPConfig {
	e.sge = limit(or(cfg.sge, 4), e.attr.MaxSGE)
	qc := hca.QPConfig{
		PD: e.pd, SendCQ: e.sq.cq, RecvCQ: e.rq.cq, SRQ: cfg.srq,
		SendDepth: limit(or(cfg.send, 64), e.attr.MaxSendWR),
		RecvDepth: limit(or(cfg.recv, 64), e.attr.MaxRecvWR),
		SendSGE:   e.sge, RecvSGE: e.sge,
		ReadsOut:     limit(or(cfg.reads, 4), e.attr.MaxReadsOut),
		ReadsIn:      limit(or(cfg.reads, 4), e.attr.MaxReadsIn),
		SolicitQuiet: cfg.solicit,
		Refuse:       cfg.refuse,
		Record:       cfg.record,
		Latency:      cfg.latency,
		Owner:        e,
		Event:        e.ev.on,
	}
	if cfg.noReads {
		qc.ReadsOut = 0
	}
	return qc
}

// close closes the queue pair; its events are complete then.
func (e *end) close() {
	e.Helper()
	if e.closed {
		return
	}
	e.closed = true
	if err := e.within(e.name+": QP.Close", e.qp.Close); err != nil {
		e.Errorf("%s: QP.Close: %v", e.name, err)
	}
	e.ev.close()
}

// has reports whether the connection has a capability.
func (e *end) has(c hca.Caps) bool { return e.info.Caps&c == c }

// readSGE bounds the segments of a read.
func (e *end) readSGE() int { return limit(e.sge, e.attr.MaxReadSGE) }

// someSGE are counts of segments to try, up to most.
func someSGE(most int) []int {
	var n []int
	for k := 1; k < most; k += 1 + k/2 {
		n = append(n, k)
	}
	return append(n, most)
}
