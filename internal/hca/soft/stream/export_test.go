package stream

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/stream/captured"
	"github.com/godapl/godapl/internal/iwarp"
)

// NumberFrom makes a fresh connection go on as if that many messages of each kind had passed, in both
// directions.
func NumberFrom(q hca.QP, msn iwarp.MSN) {
	c := q.(*core.QP).Transport().(*Conn)
	c.rx.Lock()
	c.in.msn, c.in.request, c.in.answer = msn, msn, msn
	c.finishRecv()
	c.q.Tx.Lock()
	c.out.msn, c.out.request, c.out.answer = msn, msn, msn
	c.LeaveSend()
}

// ReceiveMemory is the number of bytes that the receive half of a connection holds.
func ReceiveMemory(q hca.QP) int {
	c := q.(*core.QP).Transport().(*Conn)
	c.rx.Lock()
	n := cap(c.in.rest)
	n += len(c.in.buf)
	c.finishRecv()
	return n
}

// HoldPartial makes a connection believe that half a record of TLS is there, at the position that at returns.
func HoldPartial(q hca.QP, at func() (int64, bool)) {
	c := q.(*core.QP).Transport().(*Conn)
	c.rx.Lock()
	c.records = heldPartial(at)
	c.finishRecv()
}

type heldPartial func() (int64, bool)

func (h heldPartial) Partial() (int64, bool) { return h() }

// adapterOf returns the core adapter of an adapter.
func adapterOf(a hca.Adapter) *core.Adapter {
	p, err := a.NewPD()
	if err != nil {
		panic(err)
	}
	defer p.Close()
	return p.(*core.PD).Adapter
}

// HalfOpen is the number of half-open streams.
func HalfOpen(a hca.Adapter) int {
	paths := adapterOf(a).Paths
	return paths[len(paths)-1].(*Path).halfOpen.Len()
}

// Captured reports whether the bytes of a queue pair that is connected over the network are captured.
func Captured(q hca.QP) bool {
	_, wrapped := q.(*core.QP).Transport().(*Conn).w.(*captured.Wire)
	return wrapped
}

// Partings is how many streams of an adapter stay open after an end in order.
func Partings(a hca.Adapter) *atomic.Int32 {
	paths := adapterOf(a).Paths
	return &paths[len(paths)-1].(*Path).partings
}

// Due is how many accepts of an adapter depend on this process alone.
func Due(a hca.Adapter) int { return len(adapterOf(a).Accepts.Due(nil)) }
