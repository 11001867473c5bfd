package rdmatest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// World is a simulated network of hosts, for tests inside a bubble of testing/synctest. Its time is
// the bubble's: it passes only while everybody waits.
//
// Whatever travels between the hosts, and whatever fails, is a step. A scheduler takes one step,
// waits until no goroutine of the bubble can continue, and then draws the next from the seed. So a
// seed stands for one history of the network: run it again, and it happens again. [World.Trace] is
// that history in words, and [World.Hash] a number for it.
//
// All methods may be called concurrently. Programs must not call synctest.Wait, of which there is one
// per bubble: they call [World.Settle].
type World struct {
	t      testing.TB
	seed   uint64
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu         sync.Mutex
	draw       *rand.Rand
	begun      time.Time
	hosts      []*Host
	links      map[[2]*Host]*Link
	ways       []*way          // of open streams
	held       map[*end]string // ends that somebody has to close, with the names of their streams
	plans      []*plan         // in the order in which they were made
	calm       []chan struct{} // of those in Settle
	resting    []chan struct{} // of those in rest
	trace      trace
	dials      map[string]int
	chaos      float64
	chances    []string   // what Chaos has drawn
	only       []int      // the places in chances of what happens; nil: all
	fates      *rand.Rand // of posts
	failures   []*failure
	streams    map[string]*stream  // that were made, by the address of the dialer
	pairs      map[string]*worldQP // that have a connection, and whose peer is not known yet, by its stream
	late       []*lateness
	signals    map[string]*worldCQ // queues with entries that are not visible, by their names
	rings      []func()            // what the step does when w.mu is free
	sharedEnds []*sharedEnd        // ends of connections over shared memory, as they were made
	within     int                 // uses of streams in this step
	turns      atomic.Uint64       // of the scheduler
	breaking   sync.WaitGroup
	closing    bool // nothing new goes wrong
	quiet      bool // of apart; constant
	over       bool

	fired map[string]int // faults that happened, by their kind
	wake  chan struct{}
	done  chan struct{}
}

// Patience is how much of the bubble's time a world may take before it is taken for stuck: a wake-up
// was lost, or the program waits for what cannot happen.
const Patience = time.Hour

// ErrStuck is the cause with which [World.Context] ends if the world has not ended within [Patience].
var ErrStuck = errors.New("rdmatest: the world has come to a stand: nothing more happens, and the test waits")

// NewWorld makes a world without hosts. It must be called in a bubble, by the function of
// synctest.Test or by [Worlds], and ends with t. Then its adapters are closed, and a failed test logs
// the seed and the last steps.
func NewWorld(t testing.TB, seed uint64) *World {
	t.Helper()
	synctest.Wait() // panics outside of a bubble
	w := &World{t: t, seed: seed, draw: rand.New(rand.NewPCG(seed, 0)), begun: time.Now(), links: map[[2]*Host]*Link{},
		dials: map[string]int{}, held: map[*end]string{}, fates: rand.New(rand.NewPCG(seed, 2)), streams: map[string]*stream{}, pairs: map[string]*worldQP{}, signals: map[string]*worldCQ{}, wake: make(chan struct{}, 1), done: make(chan struct{})}
	w.trace.init()
	w.ctx, w.cancel = context.WithCancelCause(context.Background())
	w.fired = map[string]int{}
	latest.Store(w)
	go w.run()
	t.Cleanup(w.end)
	return w
}

// Seed returns the seed of [NewWorld].
func (w *World) Seed() uint64 { return w.seed }

// Context ends with the world, or with the cause [ErrStuck]. Calls that get it, or a context made of
// it, return then, and the test fails with the trace. With other contexts synctest reports a deadlock.
func (w *World) Context() context.Context { return w.ctx }

// Rand returns random numbers for the program's own choices: they depend on the seed and on name
// alone. A generator belongs to one goroutine at a time.
func (w *World) Rand(name string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return rand.New(rand.NewPCG(w.seed, h.Sum64()|1))
}

// Note adds the program's own words to the trace, and so to the hash: what it decided, or what it got.
func (w *World) Note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.record("note", fmt.Sprintf(format, args...), 0)
}

// Settle waits until nothing more can happen at this moment of the bubble's time: all goroutines wait,
// and what is under way arrives later. It returns at once when the world is over.
func (w *World) Settle() { w.wait(&w.calm) }

// rest waits until all other goroutines wait: what they do beside the caller is done. Unlike Settle it takes no step,
// so it returns also where others never let the world settle.
func (w *World) rest() { w.wait(&w.resting) }

// wait waits in one of the scheduler's lists.
func (w *World) wait(list *[]chan struct{}) {
	c := make(chan struct{})
	w.mu.Lock()
	if w.over {
		w.mu.Unlock()
		return
	}
	*list = append(*list, c)
	w.mu.Unlock()
	w.wakeScheduler()
	<-c
}

// end is the test's last function: the adapters end, and then the steps.
func (w *World) end() {
	w.mu.Lock()
	hosts := w.hosts
	w.heal()
	w.mu.Unlock()
	w.wakeScheduler()
	w.breaking.Wait() // a host may be about to be killed
	for _, h := range hosts {
		if err := h.quit(); err != nil {
			w.t.Errorf("rdmatest: %v", err)
		}
	}
	w.breaking.Wait()
	w.mu.Lock()
	w.over = true
	w.mu.Unlock()
	w.wakeScheduler()
	<-w.done
	for _, h := range hosts {
		h.remove()
	}
	w.cancel(context.Canceled)
	w.left()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.streams {
		for _, p := range s.passed {
			if p != nil {
				p.end()
			}
		}
	}
	for _, name := range w.held {
		w.t.Errorf("rdmatest: an end of the stream %s was left open", name)
	}
	if w.t.Failed() {
		w.t.Logf("rdmatest: this was seed %d, hash %016x: %s=%d repeats it. Its last steps:\n%s", w.seed, w.trace.hash.Sum64(), seedVariable, w.seed, w.trace.tail(traceTail))
	}
}

// traceTail is how many steps a failed test logs.
const traceTail = 60
