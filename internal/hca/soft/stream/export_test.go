package stream

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/iwarp"
)

// NumberFrom makes a fresh connection go on as if that many messages of each kind had passed, in both
// directions.
func NumberFrom(q hca.QP, msn iwarp.MSN) {
	c := q.(*core.QP).Transport().(*Conn)
	c.rx.Lock()
	c.in.msn, c.in.request, c.in.answer = msn, msn, msn
	c.readOn()
	c.q.Tx.Lock()
	c.out.msn, c.out.request, c.out.answer = msn, msn, msn
	c.leave(&core.Deferred{})
}

// ReceiveMemory is the number of bytes that the receive half of a connection holds.
func ReceiveMemory(q hca.QP) int {
	c := q.(*core.QP).Transport().(*Conn)
	c.rx.Lock()
	n := cap(c.in.rest)
	n += len(c.in.buf)
	c.readOn()
	return n
}

// adapterOf returns the core adapter of an adapter.
func adapterOf(a hca.Adapter) *core.Adapter {
	p, err := a.NewPD()
	if err != nil {
		panic(err)
	}
	defer p.Close()
	return p.(*core.PD).Adapter
}

// Visitors is the number of half-open streams.
func Visitors(a hca.Adapter) int {
	paths := adapterOf(a).Paths
	v := &paths[len(paths)-1].(*Path).halfOpen
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.n
}

// Captured reports whether the bytes of a queue pair that is connected over the network are captured.
func Captured(q hca.QP) bool {
	_, wrapped := q.(*core.QP).Transport().(*Conn).w.(*capturedWire)
	return wrapped
}
