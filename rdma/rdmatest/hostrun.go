package rdmatest

import "context"

// Run starts a program of the host's process, on a goroutine of its own. [Host.Kill] ends ctx, and so does the end of
// the world; both wait until the program has returned. [Host.Restart] starts it again. A host may have several
// programs. Only hosts with programs are killed by [World.Chaos]. A program must not kill its own host.
func (h *Host) Run(program func(ctx context.Context)) {
	h.w.mu.Lock()
	h.programs = append(h.programs, program)
	alive := !h.dead && !h.w.closing
	if alive {
		h.start(program)
	}
	h.w.mu.Unlock()
}

// start starts a program. The caller holds w.mu.
func (h *Host) start(program func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(h.w.ctx)
	h.cancels = append(h.cancels, cancel)
	h.running.Go(func() {
		defer h.w.panicked()
		program(ctx)
	})
}

// quit ends the programs, closes the adapters, and waits for both. It returns the first error of an adapter.
func (h *Host) quit() (err error) {
	h.w.mu.Lock()
	for _, cancel := range h.cancels {
		cancel()
	}
	h.cancels = nil
	h.w.mu.Unlock()
	for range 2 { // a program may have been opening another
		for _, a := range h.adapters() {
			if cerr := a.Close(); err == nil {
				err = cerr
			}
		}
		h.running.Wait()
	}
	return err
}
