package soft

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// NumberFrom makes a connection over which nothing has gone yet go on as if so
// many messages of each kind had, in both directions.
func NumberFrom(q hca.QP, msn iwarp.MSN) {
	c := q.(*qp).conn.Load()
	c.rx.lock()
	c.in.msn, c.in.request, c.in.answer = msn, msn, msn
	c.readOn()
	c.q.tx.lock()
	c.out.msn, c.out.request, c.out.answer = msn, msn, msn
	c.q.leave(&after{})
}

// Waiting is how many entries a shared receive queue has of connections that
// wait for a receive.
func Waiting(q hca.SRQ) int {
	s := q.(*srq)
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waiting)
}

// ReceiveMemory is how many octets the receiving half of a connection holds.
func ReceiveMemory(q hca.QP) int {
	c := q.(*qp).conn.Load()
	c.rx.lock()
	n := cap(c.in.rest)
	if c.in.buf != nil {
		n += len(c.in.buf)
	}
	c.readOn()
	return n
}

// Visitors is how many streams have said nothing yet or are being turned away.
func Visitors(a hca.Adapter) int {
	v := &a.(*adapter).net.visitors
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.n
}

// Captured tells whether the octets of a queue pair that is connected over the
// network are recorded.
func Captured(q hca.QP) bool {
	_, wrapped := q.(*qp).conn.Load().w.(*capturedWire)
	return wrapped
}
