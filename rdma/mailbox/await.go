package mailbox

import (
	"context"
	"fmt"

	"github.com/godapl/godapl/rdma"
)

// ready reports whether what the call waits for is there.
func (s *Sender[T, R]) ready(c *call[R]) bool {
	switch c.want {
	case wantAsk:
		return s.askTurns.first == c && len(s.freeAsk) > 0
	case wantTurn:
		return s.turns.first == c && s.mayLeave()
	case wantPlaced:
		return s.placed >= c.seq
	case wantAnswer:
		return c.done
	case wantGone:
		return len(s.pending) == 0
	default:
		return s.over && s.receives == 0
	}
}

// await waits until the call is ready, its context or the connection ends. One of the calls that
// wait, the leader, waits for completions and handles them for all; the others are parked. The
// caller holds mu, and holds it again afterwards.
func (s *Sender[T, R]) await(ctx context.Context, c *call[R]) (err error) {
	for !s.ready(c) && err == nil {
		switch {
		case s.over && c.want != wantEnd:
			err = s.end()
		case s.shut && !c.handed && (c.want <= wantTurn || c.want != wantEnd && c.seq > s.placed):
			err = errShut
		case ctx.Err() != nil:
			if s.look(); !s.ready(c) { // what it waits for may have come while no call led
				err = gaveUp(ctx, c.want)
			}
		case s.gathered && c.want != wantEnd:
			s.gathered = false
			s.depart()
		case c.handed:
			s.leave() // this call does not lead: what may not leave yet would wait for another one
			s.sleep(ctx, c)
		case s.leader != nil:
			s.park(ctx, c)
		default:
			s.lead(ctx, c)
		}
	}
	switch {
	case s.leader != nil:
	case len(s.parked) > 0:
		s.wakeCall(s.parked[len(s.parked)-1]) // it leads now
	case err != nil || !s.gathered && (c.want == wantPlaced || c.want == wantAnswer):
		s.leave() // what a call has let leave, but the mailbox had no receive for; nobody waits any more
	}
	return err
}

// gaveUp is the error of a call whose context has ended, and says what it has waited for.
func gaveUp(ctx context.Context, waited want) error {
	switch waited {
	case wantAsk:
		return fmt.Errorf("all asks that may be under way wait for their answers (Asks): %w", context.Cause(ctx))
	case wantTurn:
		return fmt.Errorf("the mailbox has no room (Window): %w", context.Cause(ctx))
	}
	return context.Cause(ctx)
}

func (s *Sender[T, R]) park(ctx context.Context, c *call[R]) {
	c.parked = len(s.parked)
	s.parked = append(s.parked, c)
	s.sleep(ctx, c)
	last := s.parked[len(s.parked)-1]
	s.parked[c.parked], last.parked = last, c.parked
	s.parked = s.parked[:len(s.parked)-1]
}

// sleep waits until the call is woken. The caller holds mu, and gives it away meanwhile.
func (s *Sender[T, R]) sleep(ctx context.Context, c *call[R]) {
	s.mu.Unlock()
	taken := false
	select {
	case <-c.wake:
		taken = true
	case <-ctx.Done():
	}
	s.mu.Lock()
	s.settle(c, taken)
}

func (s *Sender[T, R]) lead(ctx context.Context, c *call[R]) {
	s.leader = c
	s.mu.Unlock()
	n, err := s.recvs.WaitBatch(ctx, s.batch[:])
	s.mu.Lock()
	s.handling = true
	s.handle(s.batch[:n])
	s.leader, s.handling = nil, false
	if err != nil && ctx.Err() == nil { // the endpoint is closed, or the adapter cannot wait
		s.over, s.receives = true, 0
		_ = s.conn.Abort() // end waits for it
		s.wakeAll()
	}
}

// look handles what is there, without waiting. The caller holds mu.
func (s *Sender[T, R]) look() {
	for s.leader == nil {
		n := s.recvs.Poll(s.batch[:])
		s.handle(s.batch[:n])
		if n < len(s.batch) {
			return
		}
	}
}

// signal lets a call look again, wherever it waits. The leader looks by itself behind what it handles.
func (s *Sender[T, R]) signal(c *call[R]) {
	if c != s.leader {
		s.wakeCall(c)
	} else if !s.handling && !s.called {
		// If the queue is full, the leader has something to look at anyway.
		s.called = s.recvs.Post(rdma.Completion{}) == nil
	}
}

// wakeNext wakes the calls that have become ready.
func (s *Sender[T, R]) wakeNext() {
	if s.placing.first == nil && s.askTurns.first == nil && s.turns.first == nil {
		return // as for a program of one goroutine
	}
	for c := s.placing.first; c != nil && s.placed >= c.seq; c = c.next {
		s.signal(c)
	}
	for _, q := range [...]*queue[R]{&s.askTurns, &s.turns} {
		if q.first != nil && s.ready(q.first) {
			s.signal(q.first)
		}
	}
}

func (s *Sender[T, R]) wakeAll() {
	for _, c := range s.parked {
		s.wakeCall(c)
	}
	for _, c := range s.asks {
		if c != nil && c.handed && c.want == wantAnswer {
			s.wakeCall(c)
		}
	}
}

// end is why the connection has ended. The caller holds mu, and gives it away meanwhile.
func (s *Sender[T, R]) end() error {
	s.mu.Unlock()
	<-s.conn.Context().Done() // follows the last completion
	s.mu.Lock()
	if s.failure != nil {
		return s.failure
	}
	return context.Cause(s.conn.Context())
}

// atEnd runs when the connection has ended: what has arrived before must count.
func (s *Sender[T, R]) atEnd() {
	defer close(s.ended)
	s.mu.Lock()
	c := s.newCall()
	c.want = wantEnd
	_ = s.await(context.Background(), c)
	lost := &Lost{Delivered: s.handed + s.placed - s.refused, Refused: s.refused, Err: s.end()}
	if !s.shut { // a mailbox that is closed has told what it has taken
		lost.Unknown = s.left - s.placed
	}
	s.takeBack(s.posted)
	s.pending = s.pending[:0]
	s.mu.Unlock()
	s.cancel(lost)
}

// handle takes completions of receives. The caller holds mu.
func (s *Sender[T, R]) handle(cs []rdma.Completion) {
	for i := range cs {
		c := &cs[i]
		if c.Endpoint == nil { // of signal
			s.called = false
			continue
		}
		s.receives--
		if c.Status != rdma.StatusOK {
			s.over = true
			if c.Status == rdma.StatusLocalEndpoint && s.failure == nil { // it was not posted, so the connection goes on without it
				s.failure = unposted(c.Err())
				_ = s.conn.Abort()
			}
			continue
		}
		b, ok := s.in.message(uint32(c.Cookie), c.Length)
		for ok && (s.failure == nil || s.failure == rdma.ErrClosed) {
			var err error
			if b, err = s.message(b); err != nil {
				s.failure = err
				_ = s.conn.Abort()
			}
			ok = len(b) > 0
		}
		if err := s.ep.PostRecv(rdma.Recv{Into: s.in.at(uint32(c.Cookie)), Cookie: c.Cookie}); err == nil {
			s.receives++
		} else if s.failure == nil { // with a receive less, the mailbox could overrun this side, and both would wait
			s.failure = unposted(err)
			_ = s.conn.Abort()
		}
	}
	if s.over {
		s.wakeAll()
	} else if s.flight.done(s.placed); !s.departing {
		s.push()
	}
	s.wakeNext()
}
