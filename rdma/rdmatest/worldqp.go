package rdmatest

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/ops"
)

// worldQP is a queue pair with books: what was posted, in order, and what the peer has to receive.
type worldQP struct {
	hca.QP
	a      *worldAdapter
	owner  any
	event  func(hca.ConnEvent)
	shared *worldSRQ   // nil: it has receives of its own
	queues [2]*worldCQ // for sends and receives; they may be the same
	over   atomic.Bool // the end has been reported
	closed atomic.Bool // Close has begun
	order  sync.Mutex  // held over a post: the books are in the order of the queue

	mu      sync.Mutex // never held when w.mu is taken, which meet holds first
	name    string
	peer    *worldQP
	in      *way      // that brings what the peer sends; constant when the connection is established
	posted  time.Time // when the latest receive was posted
	serial  uint64
	sends   []posted // not complete
	recvs   []posted
	doomed  bool       // a post will fail, so those behind show
	caused  bool       // a request has failed by itself
	orderly bool       // the connection has ended in order
	failed  string     // why those behind are flushed; "": nothing has failed
	forced  hca.Status // the failure was the world's
	lost    string     // why the world has ended the connection; "": it has not
	outbox  outbox
	// Successes below that the program has seen as failures.
	changed hca.QPStats
}

// outbox is the messages that the peer has not received. It has a lock of its own, since the peer takes them.
type outbox struct {
	mu   sync.Mutex
	list []message
}

func (o *outbox) put(m message) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = append(o.list, m)
}

func (o *outbox) take() (m message, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.list) == 0 {
		return m, false
	}
	m = o.list[0]
	o.list = o.list[1:]
	return m, true
}

func (o *outbox) len() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.list)
}

// withdraw takes the latest message back.
func (o *outbox) withdraw() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = o.list[:len(o.list)-1]
}

// posted is a request in the books.
type posted struct {
	serial, id uint64
	op         hca.Op
	flags      hca.Flags
	len        uint64
	key        hca.Key // of the peer's memory
	fate       fate
	local      hca.Segment
	more       []hca.Segment
	sum        uint64 // of the bytes that a send or write takes from there
	known      bool   // sum is
	before     []byte // what lay in the memory of a receive; nil: not known
}

// message is what a receive of the peer must get.
type message struct {
	op    hca.Op // of the receive
	len   uint64
	sum   uint64
	known bool // sum is
	imm   uint32
}

// faultf reports what the library or the program did wrong.
func (q *worldQP) faultf(format string, args ...any) {
	q.a.h.w.t.Errorf("rdmatest: host %s, connection %s: %s", q.a.h.name, q.name, fmt.Sprintf(format, args...))
}

// enter books a request, and returns what goes below in its place. Its fate is drawn outside of q.mu: w.mu is taken
// first.
func (q *worldQP) enter(wr hca.SendWR) (hca.SendWR, fate) {
	p := posted{id: wr.ID, op: wr.Op, flags: wr.Flags, key: wr.RKey, fate: q.a.h.w.fate(wr.Op), len: length(wr.Local, wr.More)}
	if wr.Bind != nil {
		if r, ok := wr.Bind.MR.(*worldMR); ok {
			wr.Bind.MR = r.MR
		}
	}
	if gives(wr.Op) && p.len > 0 && wr.Flags&hca.Fence == 0 { // behind a fence it may be what a read brings
		p.local, p.more = wr.Local, append([]hca.Segment(nil), wr.More...)
		p.sum, p.known = q.a.sum(wr.Local, wr.More, p.len)
	}
	m, is := message{}, isMessage(wr.Op)
	if is {
		m = messageOf(&wr, &p)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.serial++
	p.serial = q.serial
	wr.ID = p.serial
	if p.fate.by != nil {
		q.doomed = true
	}
	if q.doomed {
		wr.Flags &^= hca.Suppress
	}
	q.sends = append(q.sends, p)
	if is {
		q.outbox.put(m)
	}
	return wr, p.fate
}

// messageOf is what the peer has to receive.
func messageOf(wr *hca.SendWR, p *posted) message {
	m := message{len: p.len, imm: wr.Imm, sum: p.sum, known: p.known}
	switch wr.Op {
	case hca.OpSend:
		m.op = hca.OpRecv
	case hca.OpSendInvalidate:
		m.op = hca.OpRecvInvalidate
	case hca.OpSendImm:
		m.op = hca.OpRecvImm
	case hca.OpWriteImm:
		m.op, m.known = hca.OpRecvWriteImm, false
	}
	return m
}

// gives reports whether an operation takes bytes from memory of its poster.
func gives(op hca.Op) bool { return op == hca.OpWrite || isMessage(op) }

func length(first hca.Segment, more []hca.Segment) uint64 {
	n := uint64(first.Len)
	for _, s := range more {
		n += uint64(s.Len)
	}
	return n
}

// withdraw takes the latest requests back, which the adapter refused: to them nothing happens.
func (q *worldQP) withdraw(refused []hca.SendWR) {
	if len(refused) == 0 {
		return
	}
	var spared []fate
	q.mu.Lock()
	for i := range refused {
		wr := &refused[len(refused)-1-i]
		if n := len(q.sends); n > 0 && q.sends[n-1].serial == wr.ID {
			spared = append(spared, q.sends[n-1].fate)
			q.sends = q.sends[:n-1]
			if isMessage(wr.Op) {
				q.outbox.withdraw()
			}
		}
	}
	q.doomed = q.forced != hca.StatusOK || slices.ContainsFunc(q.sends, func(p posted) bool { return p.fate.by != nil })
	q.mu.Unlock()
	for _, t := range spared {
		q.a.h.w.spare(t)
	}
}

func isMessage(op hca.Op) bool {
	return op == hca.OpSend || op == hca.OpSendInvalidate || op == hca.OpSendImm || op == hca.OpWriteImm
}

// PostSend implements hca.QP.
func (q *worldQP) PostSend(wr hca.SendWR) error {
	q.order.Lock()
	defer q.order.Unlock()
	wr, fate := q.enter(wr)
	err := q.QP.PostSend(wr)
	if err != nil {
		q.withdraw([]hca.SendWR{wr})
	} else if fate.revoke {
		q.revoke(wr.RKey)
	}
	return err
}

// PostSends implements hca.QP.
func (q *worldQP) PostSends(wrs []hca.SendWR) (int, error) {
	q.order.Lock()
	defer q.order.Unlock()
	all := make([]hca.SendWR, len(wrs))
	fates := make([]fate, len(wrs))
	for i := range wrs {
		all[i], fates[i] = q.enter(wrs[i])
	}
	n, err := q.QP.PostSends(all)
	q.withdraw(all[n:])
	for i, t := range fates[:n] {
		if t.revoke {
			q.revoke(all[i].RKey)
		}
	}
	return n, err
}

// PostRecv implements hca.QP.
func (q *worldQP) PostRecv(wr hca.RecvWR) error {
	n, err := q.PostRecvs([]hca.RecvWR{wr})
	if n == 1 {
		return nil
	}
	return err
}

// PostRecvs implements hca.QP. Fates are drawn outside of q.mu: w.mu is taken first.
func (q *worldQP) PostRecvs(wrs []hca.RecvWR) (int, error) {
	q.order.Lock()
	defer q.order.Unlock()
	w := q.a.h.w
	all := make([]hca.RecvWR, len(wrs))
	fates := make([]fate, len(wrs))
	for i := range wrs {
		fates[i] = w.fate(hca.OpRecv)
	}
	q.mu.Lock()
	waited := q.waited()
	q.posted = time.Now()
	for i, wr := range wrs {
		q.serial++
		p := posted{serial: q.serial, id: wr.ID, op: hca.OpRecv, flags: wr.Flags, len: length(wr.Local, wr.More),
			fate: fates[i], local: wr.Local, more: append([]hca.Segment(nil), wr.More...)}
		q.a.keepPlace(&p, q.others)
		q.recvs = append(q.recvs, p)
		all[i] = wr
		all[i].ID = q.serial
	}
	q.mu.Unlock()
	n, err := q.QP.PostRecvs(all)
	if waited && n > 0 {
		w.count("receive missing")
	}
	for _, t := range fates[n:] {
		w.spare(t)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := len(all) - 1; i >= n; i-- {
		if k := len(q.recvs); k > 0 && q.recvs[k-1].serial == all[i].ID {
			q.recvs = q.recvs[:k-1]
		}
	}
	return n, err
}

// waited reports whether messages came while no receive was posted. The caller holds q.mu.
func (q *worldQP) waited() bool {
	return len(q.recvs) == 0 && q.peer != nil && q.peer.outbox.len() > 0
}

// naming is how many requests are under way that name a key of a host.
func (q *worldQP) naming(h *Host, key hca.Key) (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.peer == nil || q.peer.a.h != h {
		return 0
	}
	for _, p := range q.sends {
		if p.key == key && (ops.HasResponse(p.op) || p.op == hca.OpWrite || p.op == hca.OpWriteImm) && p.len > 0 {
			n++
		}
	}
	return n
}

// told sees the events of the connection before the program does.
func (q *worldQP) told(ev hca.ConnEvent) {
	switch ev.Kind {
	case hca.EventEstablished:
		info := *ev.Info
		info.Poster = nil // every post is booked
		ev.Info = &info
		q.meet(&info)
	case hca.EventDisconnected, hca.EventBroken:
		q.mu.Lock()
		if q.lost != "" && ev.Kind == hca.EventDisconnected {
			ev.Kind, ev.Err = hca.EventBroken, hca.NewError(hca.Broken, "connection", "", q.lost)
		}
		q.mu.Unlock()
		q.over.Store(true)
		q.judge(&ev)
		q.hurry()
	}
	q.event(ev)
}

// ReadStats implements hca.QPStatsReader. What the world has changed counts as the program has seen it.
func (q *worldQP) ReadStats(s *hca.QPStats, p *hca.Patience) bool {
	if !q.QP.(hca.QPStatsReader).ReadStats(s, p) {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, was := range q.changed.Ops {
		s.Ops[i].N -= was.N
		s.Ops[i].Bytes -= was.Bytes
	}
	for i, n := range q.changed.Failed {
		s.Failed[i] += n
	}
	return true
}

// Settle implements hca.Settler.
func (q *worldQP) Settle(p *hca.Patience) { q.QP.(hca.Settler).Settle(p) }

// ReadFlight implements hca.FlightReader.
func (q *worldQP) ReadFlight(p *hca.Patience) (requests, receives, outstanding hca.Flight, ok bool) {
	return q.QP.(hca.FlightReader).ReadFlight(p)
}

// change makes an entry that succeeded below one that did not. The caller holds q.mu.
func (q *worldQP) change(wc *hca.WC, to hca.Status) {
	q.changed.Ops[wc.Op].N++
	q.changed.Ops[wc.Op].Bytes += wc.Len
	q.changed.Failed[to]++
	wc.Status, wc.Flags = to, wc.Flags&^hca.Quiet
}

// meet finds the peer, through the name of the stream.
func (q *worldQP) meet(info *hca.ConnInfo) {
	w := q.a.h.w
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range [2]string{info.Local, info.Remote} {
		s := w.streams[name]
		if s == nil {
			continue
		}
		in := s.ways[0]
		if name == info.Local { // the dialer's
			in = s.ways[1]
		}
		peer := w.pairs[name]
		q.mu.Lock()
		q.name, q.peer, q.in = name, peer, in
		q.mu.Unlock()
		if peer == nil {
			w.pairs[name] = q
			return
		}
		peer.mu.Lock()
		peer.peer = q
		peer.mu.Unlock()
		return
	}
}

// hasData reports whether the length of a completion is that of its post.
func hasData(op hca.Op) bool { return op != hca.OpBind && !ops.HasResponse(op) || op == hca.OpRead }
