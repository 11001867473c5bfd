package soft

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// The engine runs what nobody else does: what a poster left because it was too
// large or had to wait, and callbacks that could not be made where their cause
// was. Its goroutines start with the first work and wait without cost.
type engine struct {
	mu      sync.Mutex
	queue   []job // guarded by mu; the oldest at the front
	workers int   // guarded by mu
	closed  bool  // guarded by mu

	waiting atomic.Int32 // len(queue)
	wake    chan struct{}
	wg      sync.WaitGroup
	rounds  *rounds
	look    func() bool // handles what has come for others; reports whether there was any
}

// A consumer stands for who polls one completion queue.
type consumer struct {
	strange int // its own: see engine.help
}

// A job is either a runner or a function.
type job struct {
	r runner
	f func()
}

// A runner has work that is done bit by bit.
type runner interface {
	// claim clears the mark that the runner is queued.
	claim()
	// run does a bounded piece and reports whether there is more.
	run() (more bool)
	// queued sets the mark and reports whether it was clear.
	queued() bool
	// concerns tells whether who polls a queue has a part in it.
	concerns(c *consumer) bool
}

func (e *engine) init(r *rounds, look func() bool) {
	e.rounds, e.look = r, look
	e.wake = make(chan struct{}, max(2, runtime.GOMAXPROCS(0)))
}

// schedule queues a runner unless it is queued already.
func (e *engine) schedule(r runner) {
	if r.queued() {
		e.add(job{r: r})
	}
}

// do queues a function. It is for what is rare.
func (e *engine) do(f func()) { e.add(job{f: f}) }

func (e *engine) add(j job) {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return
	}
	e.queue = append(e.queue, j)
	e.waiting.Store(int32(len(e.queue)))
	if e.workers < cap(e.wake) && e.workers < len(e.queue) {
		e.workers++
		e.wg.Go(e.work)
	}
	select { // under the lock, since close closes the channel
	case e.wake <- struct{}{}:
	default: // as many wake-ups are on their way as there are workers
	}
	e.mu.Unlock()
}

func (e *engine) pop() (job, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.queue) == 0 {
		return job{}, false
	}
	return e.remove(0), true
}

func (e *engine) exec(j job) {
	e.rounds.jobs.Add(1)
	if j.f != nil {
		j.f()
		return
	}
	j.r.claim()
	if j.r.run() {
		e.schedule(j.r) // behind the others
	}
}

func (e *engine) work() {
	for range e.wake {
		for {
			j, ok := e.pop()
			if !ok {
				break
			}
			e.exec(j)
			if e.waiting.Load() > 0 && e.look() {
				runtime.Gosched() // whoever was woken by it
			}
		}
	}
}

// help does one job of those that concern who polls a queue, on their goroutine. Callers
// hold nothing. What others have to do is the workers', so that a connection with much to
// do does not hold up the programs of all.
func (e *engine) help(c *consumer) bool {
	if e.waiting.Load() == 0 {
		return false
	}
	j, ok := e.popFor(c)
	if ok {
		e.exec(j)
	}
	return ok
}

// strangersEvery is how many times the consumer of a queue looks for jobs of its own
// before it does one that is not: the workers may be waiting for its processor.
const strangersEvery = 1024

// popFor takes the oldest job that concerns a queue.
func (e *engine) popFor(c *consumer) (job, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	any := false
	if c.strange++; c.strange == strangersEvery {
		c.strange, any = 0, true
	}
	for i, j := range e.queue {
		if any || j.r == nil || j.r.concerns(c) {
			return e.remove(i), true
		}
	}
	return job{}, false
}

// remove takes a job out. e.mu is held.
func (e *engine) remove(i int) job {
	j := e.queue[i]
	n := i + copy(e.queue[i:], e.queue[i+1:])
	e.queue[n] = job{}
	e.queue = e.queue[:n]
	e.waiting.Store(int32(n))
	return j
}

// Halt keeps the engine from having workers, for a test that does its jobs with Step.
func (e *engine) Halt() {
	e.mu.Lock()
	e.workers = cap(e.wake)
	e.mu.Unlock()
}

// Step does the oldest job. It reports false if there is none.
func (e *engine) Step() bool {
	j, ok := e.pop()
	if ok {
		e.exec(j)
	}
	return ok
}

// Busy tells whether jobs are waiting.
func (e *engine) Busy() bool { return e.waiting.Load() != 0 }

// close waits for the workers. What is queued is done first.
func (e *engine) close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	for {
		j, ok := e.pop()
		if !ok {
			break
		}
		if j.f != nil {
			j.f()
		}
	}
	e.mu.Lock()
	close(e.wake)
	e.mu.Unlock()
	e.wg.Wait()
}
