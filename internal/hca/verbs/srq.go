package verbs

import (
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// srq is a shared receive queue.
type srq struct {
	pd    *pd
	ad    *adapter
	cfg   hca.SRQConfig
	h     ibv.SRQ
	index uint32

	// mu guards the slots and posting. It is taken under a completion queue's
	// mu, never the other way round.
	mu     sync.Mutex
	frame  ibv.Frame
	recs   []recvRec
	slots  []uint32 // that are free
	wrs    *ibv.Array[ibv.RecvWR]
	sges   *ibv.Array[ibv.SGE]
	bad    *ibv.Array[uintptr]
	depth  int
	limit  int // armed, if not 0
	users  int
	closed bool

	// posted counts receives that no completion has consumed, unpolled those whose
	// completion has not been polled.
	posted, unpolled atomic.Int64
}

func (p *pd) NewSRQ(cfg hca.SRQConfig) (hca.SRQ, error) {
	const op = "NewSRQ"
	a := p.ad
	switch {
	case a.attr.Caps&hca.CapSRQ == 0:
		return nil, hca.NewError(hca.Unsupported, op, a.attr.Name, "the device has no shared receive queues: give each queue pair its own receives")
	case cfg.Depth < 1 || cfg.Depth > a.attr.MaxSRQWR:
		return nil, hca.NewError(hca.Invalid, op, strconv.Itoa(cfg.Depth)+" receives",
			"a shared receive queue holds from 1 to "+strconv.Itoa(a.attr.MaxSRQWR)+" on this device")
	case cfg.MaxSGE < 0 || cfg.MaxSGE > a.attr.MaxSGE:
		return nil, hca.NewError(hca.Invalid, op, strconv.Itoa(cfg.MaxSGE)+" segments",
			"a receive has up to "+strconv.Itoa(a.attr.MaxSGE)+" on this device")
	}
	cfg.MaxSGE = max(1, cfg.MaxSGE)
	if err := a.begin(op); err != nil {
		return nil, err
	}
	defer a.calls.leave()
	if err := p.join(op); err != nil {
		return nil, err
	}
	defer p.leave()
	s := &srq{pd: p, ad: a, cfg: cfg, depth: cfg.Depth, frame: ibv.Frame{Ops: a.dev.ops}}
	if err := s.alloc(cfg.Depth); err != nil {
		s.release()
		return nil, err
	}
	attr := ibv.SRQInitAttr{Attr: ibv.SRQAttr{MaxWR: uint32(cfg.Depth), MaxSGE: uint32(cfg.MaxSGE)}}
	h, e := a.lib.CreateSRQ(p.h, &attr)
	if e != 0 {
		s.release()
		return nil, explain(op, a.attr.Name, e, "")
	}
	s.h, s.index = h, a.table.put(nil, s)
	if err := add(a, op, a.bySRQ, h, s); err != nil {
		s.destroy()
		return nil, err
	}
	if err := p.open(op); err != nil {
		remove(a, a.bySRQ, h)
		s.destroy()
		return nil, err
	}
	defer p.mu.Unlock()
	p.srqs[s] = struct{}{}
	return s, nil
}

// alloc allocates memory for n receives. Called with mu held, or before the queue
// is in use.
func (s *srq) alloc(n int) (err error) {
	if s.bad == nil {
		if s.bad, err = ibv.NewArray[uintptr](1); err != nil {
			return err
		}
	}
	wrs, err := ibv.NewArray[ibv.RecvWR](n)
	if err != nil {
		return err
	}
	sges, err := ibv.NewArray[ibv.SGE](n * s.cfg.MaxSGE)
	if err != nil {
		wrs.Free()
		return err
	}
	old := len(s.recs)
	s.wrs.Free()
	s.sges.Free()
	s.wrs, s.sges = wrs, sges // the device has copied what was posted
	s.recs = append(s.recs, make([]recvRec, n-old)...)
	for i := n - 1; i >= old; i-- {
		s.slots = append(s.slots, uint32(i))
	}
	return nil
}

func (s *srq) release() {
	s.wrs.Free()
	s.sges.Free()
	s.bad.Free()
}

func (s *srq) Depth() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.depth
}

// Counts first processes the completions that the device has.
func (s *srq) Counts() (available, outstanding int) {
	for _, c := range s.ad.queues() {
		c.drive()
	}
	return int(s.posted.Load()), int(s.unpolled.Load())
}

// untaken is how many receives have completed whose completion has not been polled; never too few.
func (s *srq) untaken() int {
	s.mu.Lock() // no receive is being posted
	defer s.mu.Unlock()
	out := s.unpolled.Load()
	return int(out - s.posted.Load())
}

// polled gives a receive back.
func (s *srq) polled() { s.unpolled.Add(-1) }

// PostRecv queues a receive for the next queue pair that needs one.
func (s *srq) PostRecv(wr hca.RecvWR) error {
	const op = "SRQ.PostRecv"
	if err := s.ad.check(op); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return hca.NewError(hca.Closed, op, "shared receive queue", "it has been closed")
	case segments(wr.Local, wr.More) > s.cfg.MaxSGE:
		return tooManySegments(op, s.cfg.MaxSGE)
	case int(s.unpolled.Load()) >= s.depth || len(s.slots) == 0:
		return hca.NewError(hca.QueueFull, op, "shared receive queue", "poll completions of it, or make it deeper")
	}
	i := s.slots[len(s.slots)-1]
	s.recs[i] = recvRec{id: wr.ID, flags: wr.Flags}
	s.ad.fillRecv(&s.wrs.S[i], idShared|wrID(s.index)<<32|wrID(i), s.sges, int(i)*s.cfg.MaxSGE, &wr)
	s.slots = s.slots[:len(s.slots)-1]
	s.posted.Add(1)
	s.unpolled.Add(1)
	if e := s.frame.PostSRQRecv(s.h, s.wrs.Addr(int(i)), s.bad.Addr(0)); e != 0 {
		s.slots = append(s.slots, i)
		s.posted.Add(-1)
		s.unpolled.Add(-1)
		return explainPost(op, e)
	}
	return nil
}

// completed takes a completion of the device for a queue pair. Called with the
// completion queue's mu held.
func (s *srq) completed(c *cq, q *qp, w *ibv.WC, slot uint64) {
	if !q.recv.open {
		q.recv.held = append(q.recv.held, *w)
		return
	}
	s.mu.Lock()
	if slot >= uint64(len(s.recs)) {
		s.mu.Unlock()
		return
	}
	r := s.recs[slot]
	s.slots = append(s.slots, uint32(slot))
	s.mu.Unlock()
	s.posted.Add(-1)
	q.received(c, s, r.id, r.flags, w)
	q.progressed(c)
}
