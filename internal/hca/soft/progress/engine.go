package progress

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

// The engine runs what no other goroutine does: work that a poster left because it was too large or had to
// wait, and callbacks that could not run where they were caused. Its workers start with the first work, and
// wait without cost.
type Engine struct {
	Adapter string // its name

	mu      sync.Mutex
	queue   []job // guarded by mu; the oldest at the front
	workers int   // guarded by mu
	closed  bool  // guarded by mu

	waiting atomic.Int32 // len(queue)
	wake    chan struct{}
	wg      sync.WaitGroup
	rounds  *Counters
	poll    func() bool // handles events of other connections; reports whether there were any
}

// A Consumer identifies the consumer of one completion queue.
type Consumer struct {
	skipped int // searches for its own jobs alone; guarded by Engine.mu
}

// A job is either a runner or a function.
type job struct {
	r Runner
	f func()
}

// A Runner has work that is done in bounded pieces.
type Runner interface {
	// Claim clears the mark that the runner is queued.
	Claim()
	// Run does one piece, and reports whether there is more.
	Run() (more bool)
	// Queued sets the mark, and reports whether it was clear.
	Queued() bool
	// Concerns reports whether the consumer of a queue should take part in the work.
	Concerns(c *Consumer) bool
}

func (e *Engine) Init(r *Counters, poll func() bool) {
	e.rounds, e.poll = r, poll
	e.wake = make(chan struct{}, max(2, runtime.GOMAXPROCS(0)))
}

// Schedule queues a runner unless it is queued already.
func (e *Engine) Schedule(r Runner) {
	if r.Queued() {
		e.add(job{r: r})
	}
}

// Do queues a function. It allocates, so it is for rare events.
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
		e.wg.Go(hca.Labeled(e.Adapter, "engine", e.work))
	}
	select { // under the lock, because Close closes the channel
	case e.wake <- struct{}{}:
	default: // as many wake-ups are pending as there can be workers
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
			if e.waiting.Load() > 0 && e.poll() {
				runtime.Gosched() // lets goroutines run that this woke
			}
		}
	}
}

// Help does one job that concerns the consumer, on the consumer's goroutine. Callers are inside no gate and
// hold no lock. Other jobs are left to the workers, so that a connection with much work does not delay all
// programs.
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

// AnyJobEvery is how many times a consumer searches for its own jobs before it does any job: the workers
// may be waiting for its processor.
const AnyJobEvery = 1024

// popFor takes the oldest job that concerns a consumer.
func (e *Engine) popFor(c *Consumer) (job, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	any := false
	if c.skipped++; c.skipped == AnyJobEvery {
		c.skipped, any = 0, true
	}
	for i, j := range e.queue {
		if any || j.r == nil || j.r.Concerns(c) {
			return e.remove(i), true
		}
	}
	return job{}, false
}

// remove takes a job out. The caller holds e.mu.
func (e *Engine) remove(i int) job {
	j := e.queue[i]
	n := i + copy(e.queue[i:], e.queue[i+1:])
	e.queue[n] = job{}
	e.queue = e.queue[:n]
	e.waiting.Store(int32(n))
	return j
}

// Close waits for the workers. It first runs the queued functions.
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
