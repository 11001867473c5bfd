package progress

import "sync/atomic"

// A Leader is the consumer of a queue with many connections, which may lead the poller. It belongs to the owner of the
// queue's park, but for vacant.
type Leader struct {
	leads bool
	// shy is how many times it does not lead, because others sleep while it is awake; it was set to last.
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

// Leave leaves the lead vacant, unless others sleep, or somebody does of whom othersSleep knows. guests are the leaders of
// the other queues that it serves.
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

// Armed is called when a queue is armed: if its consumer is not the one that will be back, somebody sleeps.
func (l *Leader) Armed(p *Poller) {
	if !l.vacant.Load() {
		p.Lead.Serve()
	}
}

// Elsewhere says that somebody sleeps who does not lead.
func (l *Leader) Elsewhere(p *Poller) {
	if l.vacant.Load() {
		l.vacant.Store(false)
	}
	p.Lead.Serve()
}
