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
}

func (e *engine) init(r *rounds) {
	e.rounds = r
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
	j := e.queue[0]
	n := copy(e.queue, e.queue[1:])
	e.queue[n] = job{}
	e.queue = e.queue[:n]
	e.waiting.Store(int32(n))
	return j, true
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
		}
	}
}

// help does one job on the caller's goroutine. Callers hold nothing.
func (e *engine) help() bool {
	if e.waiting.Load() == 0 {
		return false
	}
	j, ok := e.pop()
	if ok {
		e.exec(j)
	}
	return ok
}

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
