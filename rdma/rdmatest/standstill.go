package rdmatest

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// A world stands still in one of three ways. All wait, and only time passes: [Patience] ends that. Or goroutines go on
// for ever within one step, and no time passes at all. If they use a stream meanwhile, the world counts that, and loses
// its streams; else nothing of the bubble can be ended, and the process ends, with the world's history.

// mostWithin is how often connections use their streams within one step, at most. A step needs some hundreds.
const mostWithin = 1 << 20

// uses counts a use of a stream. The caller holds w.mu.
func (w *World) uses() {
	if w.within++; w.within != mostWithin {
		return
	}
	w.t.Errorf("%v: in one step a connection goes on for ever. Its seed is %d, and the last steps were:\n%s", ErrStuck, w.seed, w.trace.tail(traceTail))
	w.breaking.Go(func() { w.cancel(ErrStuck) })
	for _, y := range w.ways {
		y.s.reset()
	}
	w.sweep()
}

// latest is the world that was made last, while its bubble lasts.
var latest atomic.Pointer[World]

// isOver is called behind the bubble: the vigil of a test that runs in parallel must not take the world for one that stands.
func (w *World) isOver() { latest.CompareAndSwap(w, nil) }

// vigil watches the latest world from outside of its bubble.
type vigil struct {
	of   *World
	turn uint64
	same int // looks in a row that have found the same
}

const (
	vigilEvery = time.Second
	vigilLooks = 100 // a process that is stopped looks no more often meanwhile
)

// look reports whether the world has stood still for vigilLooks.
func (v *vigil) look() bool {
	w := latest.Load()
	if w == nil {
		return false
	}
	if turn := w.turns.Load(); w != v.of || turn != v.turn {
		v.of, v.turn, v.same = w, turn, 0
		return false
	}
	v.same++
	return v.same == vigilLooks
}

// run looks until stop is closed.
func (v *vigil) run(stop <-chan struct{}) {
	tick := time.NewTicker(vigilEvery)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		if v.look() {
			debug.SetTraceback("all")
			panic(v.of.stands())
		}
	}
}

// stands says what is known of a world that stands still.
func (w *World) stands() string {
	return fmt.Sprintf("%v: for %v it has not ended a step. %s", ErrStuck, vigilEvery*vigilLooks, w.was())
}

// was says which world it was, and its last steps. Its lock may be held for good.
func (w *World) was() string {
	s := fmt.Sprintf("rdmatest: this was seed %d, %s=%d repeats it.", w.seed, seedVariable, w.seed)
	if w.mu.TryLock() {
		s += " Its last steps:\n" + w.trace.tail(traceTail)
		w.mu.Unlock()
	}
	return s
}

// ones counts the callers of alone that have one processor for themselves, and knows how many there were before: tests
// may run in parallel, and end in any order.
var ones struct {
	mu        sync.Mutex
	n, before int
}

// one leaves the process one processor, until as many calls of many have been made as of it.
func one() {
	ones.mu.Lock()
	defer ones.mu.Unlock()
	if ones.n++; ones.n == 1 {
		ones.before = runtime.GOMAXPROCS(1)
	}
}

func many() {
	ones.mu.Lock()
	defer ones.mu.Unlock()
	if ones.n--; ones.n == 0 {
		runtime.GOMAXPROCS(ones.before)
	}
}

// alone leaves the process one processor, and watches its worlds, until the function that it returns is called.
func alone() (restore func()) {
	one()
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		new(vigil).run(stop)
	}()
	return func() {
		close(stop)
		<-done
		many()
	}
}
