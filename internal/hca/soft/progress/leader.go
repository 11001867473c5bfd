package progress

import "sync/atomic"

// A Leader is the consumer of a queue with many connections, which may lead the poller. It belongs to the owner of the
// queue's park, but for vacant.
type Leader struct {
	leads bool
	// shy is how many more attempts to lead are refused, because other consumers slept while this one was awake.
	// Its value at the beginning was last.
	shy, last int
	// vacant: it has left the lead vacant, and will probably be back.
	vacant atomic.Bool
}

const maxShy = 1024

// Acquire makes it lead, if it can.
func (l *Leader) Acquire(p *Poller) bool {
	if l.shy > 0 {
		l.shy--
		return false
	}
	l.leads = p.AcquireLead()
	return l.leads
}

// Leads reports whether it leads.
func (l *Leader) Leads() bool { return l.leads }

// Leave leaves the lead vacant. If other consumers sleep, which others or othersSleep says, the poller's goroutine takes the
// lead at once. guests are the leaders of the other queues that this consumer serves.
func (l *Leader) Leave(b *Background, guests []*Leader, others bool, othersSleep func() bool) {
	l.leads = false
	for _, g := range guests {
		g.vacant.Store(!others)
	}
	l.vacant.Store(!others)
	b.Poller.Lead.Leave(b) // before it is seen who sleeps
	if !others && !othersSleep() {
		l.last = 0
		return
	}
	l.last = min(2*l.last+16, maxShy)
	l.shy = l.last
	b.Poller.Lead.Serve()
}

// Armed is called when the queue is armed. If its consumer has left the lead vacant, it will lead again. Otherwise a
// consumer is going to sleep elsewhere, and the poller's goroutine takes the lead.
func (l *Leader) Armed(p *Poller) {
	if !l.vacant.Load() {
		p.Lead.Serve()
	}
}

// Elsewhere says that a consumer of the queue sleeps and does not lead.
func (l *Leader) Elsewhere(p *Poller) {
	if l.vacant.Load() {
		l.vacant.Store(false)
	}
	p.Lead.Serve()
}
