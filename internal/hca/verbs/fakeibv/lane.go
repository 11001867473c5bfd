package fakeibv

import "slices"

// lane is steps that happen in order.
type lane struct {
	id    int
	steps []func() bool
	// stuck: the first step cannot happen now.
	stuck bool
	off   bool
}

func (w *World) newLane() *lane {
	w.lanes++
	return &lane{id: w.lanes}
}

// push appends a step. It returns false if it cannot happen yet; free then tries it again.
func (w *World) push(l *lane, step func() bool) {
	if l.off {
		return
	}
	l.steps = append(l.steps, step)
	if len(l.steps) == 1 {
		w.enable(l)
	}
}

// do pushes a step that can always happen.
func (w *World) do(l *lane, step func()) {
	w.push(l, func() bool { step(); return true })
}

// enable makes the lane one that is chosen from. They are in the order of their making, so
// that a choice does not depend on the order in which goroutines have posted.
func (w *World) enable(l *lane) {
	if i, there := slices.BinarySearchFunc(w.ready, l, func(a, b *lane) int { return a.id - b.id }); !there {
		w.ready = slices.Insert(w.ready, i, l)
	}
	select {
	case w.kick <- struct{}{}:
	default:
	}
}

func (w *World) disable(l *lane) {
	if i, there := slices.BinarySearchFunc(w.ready, l, func(a, b *lane) int { return a.id - b.id }); there {
		w.ready = slices.Delete(w.ready, i, i+1)
	}
}

// free tries a stuck lane again.
func (w *World) free(l *lane) {
	if l.stuck {
		l.stuck = false
		w.enable(l)
	}
}

// end drops the lane's steps, and those to come.
func (w *World) end(l *lane) {
	l.steps, l.off, l.stuck = nil, true, false
	w.disable(l)
}

// Step takes one step, and reports false if there is none to take.
func (w *World) Step() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.ready) == 0 {
		return false
	}
	l := w.ready[w.rng.IntN(len(w.ready))]
	first := l.steps[0]
	switch {
	case !first():
		l.stuck = true
		w.disable(l)
	case l.off: // by this step
	default:
		if l.steps = l.steps[1:]; len(l.steps) == 0 {
			w.disable(l)
		}
	}
	return true
}
