package mailbox

import "context"

// Send sends a value. It waits for room in the mailbox, and returns nil when the value is there.
// With DialConfig.Async it returns when it has copied the value into a slot, which leaves as soon as the
// mailbox has a receive for it. ctx ends the call, not the value.
// Every error is [ErrNotDelivered] or [ErrUnknown].
func (s *Sender[T, R]) Send(ctx context.Context, v T) error {
	if ctx == nil {
		return notDelivered(errNilContext)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hand(&v, nil) {
		return nil
	}
	c := s.newCall()
	defer s.drop(c)
	if err := s.turn(ctx, c); err != nil {
		return notDelivered(err)
	}
	if err := s.post(ctx, c, kindValue, &v, true); err != nil {
		return err
	}
	if s.async {
		return s.depleted(c)
	}
	return s.awaitPlaced(ctx, c)
}

// TrySend is Send without waiting: it returns [ErrFull] if no more values may be under way. As with
// DialConfig.Async, a nil error says that the value was copied, and neither that it has left nor that it
// arrives.
func (s *Sender[T, R]) TrySend(v T) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.look()
	switch {
	case s.over:
		return notDelivered(s.end())
	case s.shut:
		return notDelivered(errShut)
	case s.turns.first != nil || s.stalled || s.full():
		return notDelivered(ErrFull)
	}
	if s.hand(&v, nil) {
		return nil
	}
	c := s.newCall()
	defer s.drop(c)
	if err := s.post(context.Background(), c, kindValue, &v, false); err != nil {
		return err
	}
	return s.depleted(c)
}

// Ask sends a value and waits for the answer: see Message.Reply. ctx ends the call, not the value.
// [ErrDeclined] says that the value was delivered and is not answered, and [ErrBadAnswer] that it was
// delivered and its answer cannot be used; every other error is [ErrNotDelivered] or [ErrUnknown]. To have
// several asks under way without a goroutine for each, see Go.
func (s *Sender[T, R]) Ask(ctx context.Context, v T) (answer R, err error) {
	if ctx == nil {
		return answer, notDelivered(errNilContext)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.newCall()
	if err := s.ask(ctx, c, &v); err != nil {
		return answer, err
	}
	c.want = wantAnswer // depart gives mu away, and the answer may come meanwhile
	s.depart()
	return s.answerOf(ctx, c)
}

// Flush waits until the mailbox is done with the values of all calls of Send and TrySend before it.
// A nil error says that they are in the mailbox. If it has refused some, the error is a *[Refused]
// with all those that no call and no Flush has reported before. After another error, ErrUnknown or
// ErrNotDelivered, the next Flush reports them.
func (s *Sender[T, R]) Flush(ctx context.Context) error {
	if ctx == nil {
		return errNilContext
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.newCall()
	defer s.drop(c)
	c.seq, c.flush = s.last, true
	if err := s.awaitPlaced(ctx, c); err != nil || s.refusals.Count == 0 {
		return err
	}
	err := s.refusals
	s.refusals = Refused{}
	return &err
}

// place waits for a place among the asks.
func (s *Sender[T, R]) place(ctx context.Context, c *call[R]) error {
	var err error
	if s.askTurns.first != nil || len(s.freeAsk) == 0 {
		c.want = wantAsk
		s.askTurns.push(c)
		err = s.await(ctx, c)
		s.askTurns.remove(c)
	}
	if err == nil {
		i := s.freeAsk[len(s.freeAsk)-1]
		s.freeAsk = s.freeAsk[:len(s.freeAsk)-1]
		s.asked++
		c.id = s.asked<<16 | uint64(i)
		s.asks[i] = c
	}
	s.wakeNext()
	return err
}

// full reports whether as many values are under way as the window has room for.
func (s *Sender[T, R]) full() bool { return s.posted-s.placed >= uint64(s.window) }

// mayLeave reports whether the next value may be put into a message.
func (s *Sender[T, R]) mayLeave() bool { return !s.full() && !s.shut && !s.stalled && !s.over }

// turn waits for room in the window.
func (s *Sender[T, R]) turn(ctx context.Context, c *call[R]) error {
	if s.turns.first == nil && s.full() {
		s.look()
	}
	if s.turns.first == nil && s.mayLeave() {
		return nil
	}
	c.want = wantTurn
	s.turns.push(c)
	err := s.await(ctx, c)
	s.turns.remove(c)
	if err != nil {
		s.wakeNext()
	}
	return err
}

// awaitPlaced waits until the value of the call is in the mailbox.
func (s *Sender[T, R]) awaitPlaced(ctx context.Context, c *call[R]) error {
	c.want = wantPlaced
	s.placing.push(c)
	s.depart()
	err := s.await(ctx, c)
	s.placing.remove(c)
	if err == nil {
		return c.err
	}
	return s.given(c, err)
}

// given is the error of a call that ends before its value is known to be in the mailbox.
func (s *Sender[T, R]) given(c *call[R], err error) error {
	switch {
	case c.flush: // of values before it, too, of which some may have left
	case s.shut && c.seq > s.placed:
		return notDelivered(errShut)
	case c.seq > s.left && s.over:
		return notDelivered(err)
	}
	s.leave() // the value goes on without the call
	return unknown(err)
}

// depleted ends a call that does not wait for its value.
func (s *Sender[T, R]) depleted(c *call[R]) error {
	s.depart()
	switch {
	case c.seq <= s.left:
	case s.broken != nil:
		return notDelivered(s.broken)
	case s.over: // it is not among what was lost
		return notDelivered(s.end())
	}
	s.leave()
	return nil
}

// post puts a value into a message that leaves with depart. The caller holds mu and has its turn. Only
// if wait is set, it waits for memory.
func (s *Sender[T, R]) post(ctx context.Context, c *call[R], k kind, v *T, wait bool) error {
	if !s.room() {
		slot, err := s.slot(ctx, wait)
		if err != nil {
			return notDelivered(err)
		}
		s.pending = append(s.pending, outgoing{slot: slot})
		defer s.dropEmpty() // also if the codec panics
	}
	passed := false
	defer func() {
		if !passed {
			s.wakeNext()
			s.gone()
		}
	}()
	var err error
	switch {
	case s.over: // while it waited; a send would be flushed, and not counted
		err = errEnded
	case s.shut:
		err = errShut
	case s.parting:
		err = s.failure
	case s.broken != nil:
		err = s.broken
	default:
		err = s.append(c, k, v)
	}
	s.wakeNext() // the turn passes on
	passed = true
	if err == nil {
		return nil
	}
	if err == errEnded {
		s.dropEmpty() // end gives mu away
		err = s.end()
	} else {
		s.gone()
	}
	return notDelivered(err)
}

// gone is for a call that has no value to send after all: what has gathered, or has had no receive while the call
// waited, leaves without it. The caller holds mu, and gives it away meanwhile.
func (s *Sender[T, R]) gone() {
	s.dropEmpty()
	s.depart()
	s.leave()
}

// dropEmpty takes back a message into which no value was put. The caller holds mu.
func (s *Sender[T, R]) dropEmpty() {
	if last := len(s.pending) - 1; last >= 0 && s.pending[last].used == 0 {
		s.out.give(s.pending[last].slot)
		s.pending = s.pending[:last]
	}
}

// slot takes memory for a value. Twice as many slots as the window has are enough, unless the
// adapter reports the completions of sends later than the peer answers: then it waits for them, and
// no other value leaves meanwhile.
func (s *Sender[T, R]) slot(ctx context.Context, wait bool) (uint32, error) {
	n := 0
	for {
		for _, c := range s.sent[:n] {
			s.out.give(uint32(c.Cookie))
		}
		if i, ok := s.out.take(); ok {
			return i, nil
		}
		if n = s.sends.Poll(s.sent[:]); n > 0 {
			continue
		}
		if !wait {
			return 0, ErrFull
		}
		var err error
		s.stalled = true
		s.mu.Unlock()
		n, err = s.sends.WaitBatch(ctx, s.sent[:])
		s.mu.Lock()
		s.stalled = false
		s.wakeNext()
		if err != nil {
			return 0, err
		}
	}
}
