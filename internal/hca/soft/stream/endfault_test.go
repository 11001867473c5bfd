package stream

import (
	"runtime"
	"slices"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/iwarp"
)

// TestAFaultBehindTheEndIsNone: a program ends a connection while an answer is placed, and frees the memory for it. The
// connection has ended in order, so the read is flushed, and is not what has ended it.
func TestAFaultBehindTheEndIsNone(t *testing.T) {
	m := newLateAnswer(func(m *lateAnswer) error {
		return m.q.PostSend(hca.SendWR{Op: hca.OpRead, Local: hca.Segment{Addr: m.mr.Addr(), Len: 64, Key: m.mr.LKey()}, Remote: 8, RKey: 1})
	}, func(payload []byte) []byte {
		return segments(func(last bool, off int) []byte {
			return iwarp.AppendTaggedHeader(nil, iwarp.TaggedHeader{Op: iwarp.OpReadResponse, Last: last, STag: readSTag(iwarp.FirstMSN), TO: iwarp.TO(off)}, len(payload)/2)
		}, payload, true)
	})
	defer m.close()
	freed := make(chan error)
	placed := false
	hook := func(_ *core.QP, step string) {
		if step != "place answer" {
			return
		}
		placed = true
		if err := m.q.Disconnect(false); err != nil {
			t.Error(err)
		}
		go func() { freed <- m.mr.Close() }() // it waits for this half
		for m.a.Keys.Get(m.mr.LKey()) != nil {
			runtime.Gosched()
		}
	}
	core.StepHook.Store(&hook)
	defer core.StepHook.Store(nil)
	m.c.runRx()
	m.work()
	m.look()
	if !placed {
		t.Fatal("no answer was placed")
	}
	if err := <-freed; err != nil {
		t.Error(err)
	}
	if !slices.Equal(m.status, []hca.Status{hca.StatusFlushed}) {
		t.Errorf("the entries are %v", m.status)
	}
	if m.q.Kind != hca.EventDisconnected {
		t.Errorf("the connection has ended as %v", m.q.Kind)
	}
}
