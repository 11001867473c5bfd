package mailbox

import (
	"fmt"

	"github.com/godapl/godapl/rdma"
)

// describe is the rdma.Endpoint.Describe of a sender's connection.
func (s *Sender[T, R]) describe() (d rdma.Description) {
	if !s.mu.TryLock() {
		return d
	}
	defer s.mu.Unlock()
	under, asks := s.posted-s.placed, len(s.asks)-len(s.freeAsk)
	d.State = fmt.Sprintf("mailbox sender: %d of %d values under way, %d of %d asks unanswered", under, s.window, asks, len(s.asks))
	switch {
	case s.turns.first != nil && s.full():
		d.Waits = "a call waits for room in the mailbox: its program takes too few messages"
	case s.askTurns.first != nil && len(s.freeAsk) == 0:
		d.Waits = "a call waits until an ask is answered: DialConfig.Asks bounds how many there may be"
	}
	return d
}

// describe is that of a mailbox's connection to a sender.
func (p *peer[T, R]) describe() (d rdma.Description) {
	asks := 0
	for i := range p.open {
		if p.open[i].Load() != 0 {
			asks++
		}
	}
	queue := p.b.queue
	d.State = fmt.Sprintf("mailbox: %d of %d messages in it, %d of %d asks of this sender unanswered", len(queue), cap(queue), asks, len(p.open))
	if len(queue) == cap(queue) {
		d.Waits = "the mailbox is full: the program takes too few messages"
	}
	return d
}
