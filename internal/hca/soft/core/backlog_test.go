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

// TestRequestsTakenTogetherAreNoBacklog: a program may take many completions of its requests at once, and look for more
// much later. What it posts meanwhile does not wait for that.
func TestRequestsTakenTogetherAreNoBacklog(t *testing.T) {
	var running atomic.Bool
	var channel, taken hca.Backlog // what a channel holds, and what the program has taken together
	backlog := func(together bool) hca.Backlog {
		if together {
			return max(channel, taken)
		}
		return channel
	}
	busy := newQueue(t, hca.CQConfig{Depth: 4, Backlog: backlog, Running: &running})
	idle := newQueue(t, hca.CQConfig{Depth: 4})
	for range conns.Few + 1 {
		busy.AddConn(&bringer{})
		idle.AddConn(&bringer{})
	}
	requests, messages, both := &QP{SendCQ: busy, RecvCQ: idle}, &QP{SendCQ: idle, RecvCQ: busy}, &QP{SendCQ: busy, RecvCQ: busy}
	check := func(what string, want bool, list ...*QP) {
		t.Helper()
		for i, q := range list {
			if q.Behind() != want {
				t.Errorf("%s: backlog %t of queue pair %d", what, !want, i)
			}
		}
	}
	check("nothing", false, requests, messages, both)
	taken = hca.BacklogSome
	check("messages taken together", true, messages, both)
	check("completions of requests taken together", false, requests)
	if err := busy.Arm(); err != nil { // a program that waits for them looks again
		t.Fatal(err)
	}
	check("the same of a program that waits for them", true, requests)
	busy.arms.Store(0)
	running.Store(true)
	check("the same beside an empty channel", false, requests)
	channel = hca.BacklogSome
	check("completions in a channel", true, requests, messages, both)
}
