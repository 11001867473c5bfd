package progress

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"
)

// idle is watched, and polled by nobody.
type idle struct {
	PollState
	waits bool
	_     [1 << 16]byte // its buffers
}

func (c *idle) Waits() bool { return c.waits }
func (*idle) Arm()          {}
func (*idle) Steady()       {}
func (*idle) Rearm()        {}

// TestTheWatchKeepsNoConnection: while the watch goes on for one connection, others that it no longer watches are
// garbage.
func TestTheWatchKeepsNoConnection(t *testing.T) {
	n := &Background{Rounds: new(Counters)}
	defer n.Close()
	watch := func(waits bool) *idle {
		c := &idle{waits: waits}
		n.Watch(c)
		return c
	}
	first := watch(true)
	var gone []weak.Pointer[idle]
	for range 3 {
		c := watch(false)
		for c.Watched.Load() {
			runtime.Gosched()
		}
		gone = append(gone, weak.Make(c))
		c = watch(true)
		gone = append(gone, weak.Make(c))
		n.Unwatch(c)
	}
	for round := n.Round(); n.Round() < round+2; {
		runtime.Gosched()
	}
	runtime.GC()
	for i, p := range gone {
		if p.Value() != nil {
			t.Errorf("connection %d is kept", i)
		}
	}
	runtime.KeepAlive(first)
}

// TestCloseEndsTheWatchAtOnce: with a last round, and no time passes. In a bubble of synctest, timers that are due at the
// same moment fire in an order that Go draws: adapters that close one after the other at such moments would take times
// that no seed decides.
func TestCloseEndsTheWatchAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &Background{Rounds: new(Counters)}
		n.Watch(&idle{waits: true})
		begun := time.Now()
		n.Close()
		if d := time.Since(begun); d != 0 || n.Round() != 1 {
			t.Errorf("after %v, and %d rounds", d, n.Round())
		}
	})
}
