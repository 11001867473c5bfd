package core

import (
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/conns"
)

// TestBacklogIsNotAskedInVain: each post asks. Without a channel only a queue of many connections calls the program's
// side for that.
func TestBacklogIsNotAskedInVain(t *testing.T) {
	var running atomic.Bool
	asked := 0
	backlog := func(bool) hca.Backlog { asked++; return hca.BacklogSome }
	c := newQueue(t, hca.CQConfig{Depth: 4, Backlog: backlog, Running: &running})
	if c.backlog() || asked != 0 {
		t.Fatalf("no channel runs: asked %d times", asked)
	}
	running.Store(true)
	if !c.backlog() || asked != 1 {
		t.Fatalf("a channel runs: asked %d times", asked)
	}
	running.Store(false)
	for range conns.Few {
		c.AddConn(&bringer{})
	}
	if c.backlog() || asked != 1 {
		t.Fatalf("few connections: asked %d times", asked)
	}
	c.AddConn(&bringer{})
	if !c.backlog() || asked != 2 {
		t.Fatalf("many connections: asked %d times", asked)
	}
	if c = newQueue(t, hca.CQConfig{Depth: 4, Backlog: backlog}); !c.backlog() {
		t.Fatal("nothing is known of a channel, and Backlog is not called")
	}
	if c = newQueue(t, hca.CQConfig{Depth: 4}); c.backlog() {
		t.Fatal("a backlog of a queue without one")
	}
}

func newQueue(t *testing.T, cfg hca.CQConfig) *CQ {
	t.Helper()
	a := NewAdapter(NewAttr("test", "", 0), hca.Options{})
	q, err := a.NewCQ(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		q.Close()
		a.Shutdown(func() {})
	})
	return q.(*CQ)
}
