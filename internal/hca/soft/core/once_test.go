package core

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/gate"
)

// evictor is a transport that counts which memory it must leave.
type evictor struct {
	Transport
	left [][]byte
}

func (e *evictor) Gates() (receiving, peer *atomic.Uint64)                 { return nil, nil }
func (e *evictor) AppendStays(inside []gate.Stay, _ *KeyEntry) []gate.Stay { return inside }
func (e *evictor) Evict(mem []byte)                                        { e.left = append(e.left, mem) }

// oneQP is a queue pair of an adapter without paths.
func oneQP(t *testing.T) (*QP, *PD) {
	t.Helper()
	a := NewAdapter(NewAttr("test", "", 0), hca.Options{})
	t.Cleanup(func() { a.Shutdown(func() {}) })
	pd, _ := a.NewPD()
	queue, _ := a.NewCQ(hca.CQConfig{Depth: 16})
	made, err := a.NewQP(hca.QPConfig{PD: pd, SendCQ: queue, RecvCQ: queue, SendDepth: 1})
	if err != nil {
		t.Fatal(err)
	}
	return made.(*QP), pd.(*PD)
}

// TestTheFirstEndCounts: of two ends of a connection, the first gives the cause.
func TestTheFirstEndCounts(t *testing.T) {
	q, _ := oneQP(t)
	defer q.State.Store(StateNew) // nobody reports these ends
	lost, closed := errors.New("lost"), errors.New("closed")
	if first, _ := q.MarkOver(hca.EventBroken, lost); !first {
		t.Fatal("the first end is not the first")
	}
	if first, _ := q.MarkOver(hca.EventDisconnected, closed); first || q.Kind != hca.EventBroken || q.cause != lost {
		t.Errorf("the second end: first %t, now %v, %v", first, q.Kind, q.cause)
	}
}

// TestAFreedRegionIsLeftByThoseWhoSend: connections of the zone are told, because a send half may be in the middle of
// a frame from that memory.
func TestAFreedRegionIsLeftByThoseWhoSend(t *testing.T) {
	q, pd := oneQP(t)
	e := new(evictor)
	var link Transport = e
	mem := make([]byte, 4096)
	m, err := pd.Register(hca.Memory{Bytes: mem, Own: true}, hca.LocalRead)
	if err != nil {
		t.Fatal(err)
	}
	q.transport.Store(&link)
	defer q.transport.Store(nil)
	if err = m.Close(); err != nil || len(e.left) != 1 || &e.left[0][0] != &mem[0] || len(e.left[0]) != len(mem) {
		t.Errorf("err %v; told %d times", err, len(e.left))
	}
}
