package soft

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/shm"
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

// WithoutProcessMemory makes connections over shared memory as if the kernel
// forbade to use another process's memory, until what it returns is called.
func WithoutProcessMemory() (undo func()) {
	probePeer = func(int, uint64, []byte) error { return shm.ErrDenied }
	return func() { probePeer = shm.ProbePeer }
}
