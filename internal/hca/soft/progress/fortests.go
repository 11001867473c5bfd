package progress

// This file is for tests in the packages above, which cannot reach unexported fields. The library does not call
// its methods.

// Halt keeps the engine from starting workers, for a test that runs the jobs with Step.
func (e *Engine) Halt() {
	e.mu.Lock()
	e.workers = cap(e.wake)
	e.mu.Unlock()
}

// Step does the oldest job. It returns false if there is none.
func (e *Engine) Step() bool {
	j, ok := e.pop()
	if ok {
		e.exec(j)
	}
	return ok
}

// Busy reports whether jobs are queued.
func (e *Engine) Busy() bool { return e.waiting.Load() != 0 }

// Halt keeps the watch from starting.
func (n *Background) Halt() {
	n.mu.Lock()
	n.running = true
	n.mu.Unlock()
}
