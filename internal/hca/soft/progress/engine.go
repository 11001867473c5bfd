package progress

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// The engine runs what nobody else does: what a poster left because it was too
// large or had to wait, and callbacks that could not be made where their cause
// was. Its goroutines start with the first work and wait without cost.
type Engine struct {
	mu      sync.Mutex
	queue   []job // guarded by mu; the oldest at the front
	workers int   // guarded by mu
	closed  bool  // guarded by mu

	waiting atomic.Int32 // len(queue)
	wake    chan struct{}
	wg      sync.WaitGroup
	rounds  *Counters
	look    func() bool // handles what has come for others; reports whether there was any
}

// A Consumer stands for who polls one completion queue.
type Consumer struct {
	strange int // its own: see Engine.Help
}

// A job is either a runner or a function.
type job struct {
	r Runner
	f func()
}

// A Runner has work that is done bit by bit.
type Runner interface {
	// Claim clears the mark that the runner is queued.
	Claim()
	// Run does a bounded piece and reports whether there is more.
	Run() (more bool)
	// Queued sets the mark and reports whether it was clear.
	Queued() bool
	// Concerns tells whether who polls a queue has a part in it.
	Concerns(c *Consumer) bool
}

func (e *Engine) Init(r *Counters, look func() bool) {
	e.rounds, e.look = r, look
	e.wake = make(chan struct{}, max(2, runtime.GOMAXPROCS(0)))
}

// Schedule queues a runner unless it is queued already.
func (e *Engine) Schedule(r Runner) {
	if r.Queued() {
		e.add(job{r: r})
	}
}

// Do queues a function. It is for what is rare.
func (e *Engine) Do(f func()) { e.add(job{f: f}) }

func (e *Engine) add(j job) {
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

func (e *Engine) pop() (job, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.queue) == 0 {
		return job{}, false
	}
	return e.remove(0), true
}

func (e *Engine) exec(j job) {
	e.rounds.jobs.Add(1)
	if j.f != nil {
		j.f()
		return
	}
	j.r.Claim()
	if j.r.Run() {
		e.Schedule(j.r) // behind the others
	}
}

func (e *Engine) work() {
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

// Help does one job of those that concern who polls a queue, on their goroutine. Callers
// hold nothing. What others have to do is the workers', so that a connection with much to
// do does not hold up the programs of all.
func (e *Engine) Help(c *Consumer) bool {
	if e.waiting.Load() == 0 {
		return false
	}
	j, ok := e.popFor(c)
	if ok {
		e.exec(j)
	}
	return ok
}

// StrangersEvery is how many times the consumer of a queue looks for jobs of its own
// before it does one that is not: the workers may be waiting for its processor.
const StrangersEvery = 1024

// popFor takes the oldest job that concerns a queue.
func (e *Engine) popFor(c *Consumer) (job, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	any := false
	if c.strange++; c.strange == StrangersEvery {
		c.strange, any = 0, true
	}
	for i, j := range e.queue {
		if any || j.r == nil || j.r.Concerns(c) {
			return e.remove(i), true
		}
	}
	return job{}, false
}

// remove takes a job out. e.mu is held.
func (e *Engine) remove(i int) job {
	j := e.queue[i]
	n := i + copy(e.queue[i:], e.queue[i+1:])
	e.queue[n] = job{}
	e.queue = e.queue[:n]
	e.waiting.Store(int32(n))
	return j
}

// Halt keeps the engine from having workers, for a test that does its jobs with Step.
func (e *Engine) Halt() {
	e.mu.Lock()
	e.workers = cap(e.wake)
	e.mu.Unlock()
}

// Step does the oldest job. It reports false if there is none.
func (e *Engine) Step() bool {
	j, ok := e.pop()
	if ok {
		e.exec(j)
	}
	return ok
}

// Busy tells whether jobs are waiting.
func (e *Engine) Busy() bool { return e.waiting.Load() != 0 }

// Close waits for the workers. What is queued is done first.
func (e *Engine) Close() {
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
