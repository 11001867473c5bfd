package core

import "slices"

// Messages that find no receive in a shared queue wait for their turn, the oldest first. A post continues one
// connection for each receive, and not all that wait: with many connections, each receive would otherwise cost one
// attempt of each of them. A connection that was called and finds that another one was faster is first again.

// A turn is where a queue pair stands in its shared receive queue; guarded by Queue.Mu of that.
type turn uint8

const (
	noTurn     turn = iota // no message of it waits, as far as the queue knows
	awaitsTurn             // it is in SRQ.waiting
	hasTurn                // it counts in SRQ.called: its connection is about to try again, or to end
)

// wait notes that a message of q waits. There is no receive. The caller holds s.Mu.
func (s *SRQ) wait(q *QP) {
	switch q.turn {
	case noTurn:
		s.waiting = append(s.waiting, q)
	case hasTurn:
		s.called--
		s.waiting = slices.Insert(s.waiting, 0, q)
	}
	q.turn = awaitsTurn
}

// forget notes that no message of q waits. The caller holds s.Mu.
func (s *SRQ) forget(q *QP) {
	switch q.turn {
	case awaitsTurn:
		i := slices.Index(s.waiting, q)
		s.waiting = slices.Delete(s.waiting, i, i+1)
	case hasTurn:
		s.called--
	}
	q.turn = noTurn
}

// callWaiting continues as many connections as there are receives that no connection was called for. The caller
// holds s.Mu, and is inside no gate.
func (s *SRQ) callWaiting() {
	for len(s.waiting) > 0 && s.Len() > s.called {
		q := s.waiting[0]
		s.waiting = slices.Delete(s.waiting, 0, 1)
		q.turn = hasTurn
		s.called++
		s.Mu.Unlock()
		q.recvPosted()
		s.Mu.Lock()
	}
}

// leaveTurn has others take the turn of a queue pair whose connection is over. The caller may be inside a gate.
func (s *SRQ) leaveTurn(q *QP) {
	s.Mu.Lock()
	left := q.turn != noTurn
	s.forget(q)
	s.Mu.Unlock()
	if left {
		s.pd.Adapter.Engine.Do(func() {
			s.Mu.Lock()
			s.callWaiting()
			s.Mu.Unlock()
		})
	}
}
