package rdmatest

import "time"

// When is a moment of a world, for a plan. The zero value is now.
type When struct {
	after time.Duration
	bytes int64
}

// Now is the next step.
func Now() When { return When{} }

// After is a time from now.
func After(d time.Duration) When { return When{after: d} }

// AtByte is when n more bytes have crossed the link, both directions together: the n-th byte is the
// last to arrive.
func AtByte(n int) When { return When{bytes: int64(max(n, 1))} }

// plan is something that happens to the world at a moment.
type plan struct {
	what, name string
	at         time.Time // zero: see bytes
	link       *Link
	bytes      int64 // of the link, since it was made
	do         func()
	quiet      bool // it ends a fault, or is none
}

// What is planned and no fault: the arrival of a request for a stream, and late completions.
const (
	dialled      = "dial"
	timedVisible = "no longer late"
)

// add makes a plan. The caller holds w.mu.
func (w *World) add(p *plan, when When) {
	if when.bytes > 0 && p.link != nil {
		p.bytes = p.link.delivered + when.bytes
	} else {
		p.at = time.Now().Add(when.after)
	}
	i := len(w.plans) // behind all that are not later
	for i > 0 && !p.at.IsZero() && w.plans[i-1].at.After(p.at) {
		i--
	}
	w.plans = append(w.plans, nil)
	copy(w.plans[i+1:], w.plans[i:])
	w.plans[i] = p
}

// carryOut does what was planned. The caller holds w.mu.
func (w *World) carryOut(p *plan) {
	for i, x := range w.plans {
		if x == p {
			w.plans = append(w.plans[:i], w.plans[i+1:]...)
			break
		}
	}
	w.record(p.what, p.name, 0)
	if !p.quiet {
		w.fired[p.what]++
	}
	p.do()
}

// due is the first plan for a number of bytes of the link, and how many are left until then. The caller
// holds w.mu.
func (l *Link) due() (p *plan, left int64) {
	for _, x := range l.w.plans {
		if x.link == l && x.at.IsZero() && (p == nil || x.bytes < p.bytes) {
			p, left = x, x.bytes-l.delivered
		}
	}
	return p, left
}
