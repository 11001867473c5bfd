package stream

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/iwarp"
)

// NumberFrom makes a connection over which nothing has gone yet go on as if so
// many messages of each kind had, in both directions.
func NumberFrom(q hca.QP, msn iwarp.MSN) {
	c := q.(*core.QP).Transport().(*Conn)
	c.rx.Lock()
	c.in.msn, c.in.request, c.in.answer = msn, msn, msn
	c.readOn()
	c.q.Tx.Lock()
	c.out.msn, c.out.request, c.out.answer = msn, msn, msn
	c.leave(&core.Deferred{})
}

// ReceiveMemory is how many bytes the receiving half of a connection holds.
func ReceiveMemory(q hca.QP) int {
	c := q.(*core.QP).Transport().(*Conn)
	c.rx.Lock()
	n := cap(c.in.rest)
	n += len(c.in.buf)
	c.readOn()
	return n
}

// adapterOf is the adapter that what the paths have in common sees.
func adapterOf(a hca.Adapter) *core.Adapter {
	p, err := a.NewPD()
	if err != nil {
		panic(err)
	}
	defer p.Close()
	return p.(*core.PD).Adapter
}

// Visitors is how many streams have said nothing yet or are being turned away.
func Visitors(a hca.Adapter) int {
	paths := adapterOf(a).Paths
	v := &paths[len(paths)-1].(*Path).halfOpen
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.n
}

// Captured tells whether the bytes of a queue pair that is connected over the
// network are recorded.
func Captured(q hca.QP) bool {
	_, wrapped := q.(*core.QP).Transport().(*Conn).w.(*capturedWire)
	return wrapped
}
