package mailbox

import (
	"context"

	"github.com/godapl/godapl/rdma"
)

// Pending is an ask whose answer the program takes later, with Wait. [Sender.Go] makes it. It is a
// small value without memory of its own: all copies are the same ask.
type Pending[T, R any] struct {
	s  *Sender[T, R]
	c  *call[R]
	id uint64 // of the ask; the call may be another one's by now
}

// Go is the first half of an Ask, for programs that have several of them under way: it sends the value,
// and Wait of its result takes the answer. It waits for a place among the asks (Config.Asks), and for
// room in the window, but not for the mailbox. ctx ends the call, not the value; every error is
// [ErrNotDelivered].
//
// Values of Go gather, as in a bufio.Writer. They leave when a message is full, when any call of this
// sender waits, with the next Send, TrySend or Ask, and with Flush. So a program that takes each
// answer before it makes the next ask sends as many asks in one message as it has had answers.
func (s *Sender[T, R]) Go(ctx context.Context, v T) (Pending[T, R], error) {
	if ctx == nil {
		return Pending[T, R]{}, notDelivered(errNilContext)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, gathered := s.newCall(), s.gathered
	if err := s.ask(ctx, c, &v); err != nil {
		return Pending[T, R]{}, err
	}
	c.kept = true
	if gathered && !s.gathered && len(s.pending) > 1 {
		s.leave() // the call has waited, and the mailbox has had no receive for some before it
	}
	if !s.room() {
		s.push() // what is full need not wait
	}
	s.gathered = len(s.pending) > 0
	return Pending[T, R]{s, c, c.id}, nil
}

// Wait waits for the answer, and takes it: a second Wait is rdma.ErrState. The other errors are those of
// [Sender.Ask]. Asks can be waited for in any order, by any goroutine. Each is to be waited for, or its
// answer is kept until the sender is closed; a ctx that is done takes the answer if it is there,
// and otherwise gives it up.
func (p Pending[T, R]) Wait(ctx context.Context) (answer R, err error) {
	s, c := p.s, p.c
	if s == nil {
		return answer, errTaken
	}
	if ctx == nil {
		return answer, errNilContext
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !c.kept || c.id != p.id {
		return answer, errTaken
	}
	c.kept = false
	return s.answerOf(ctx, c)
}

// errTaken is for a Wait behind the one that had the answer.
var errTaken = &rdma.Error{Op: "wait", Object: "mailbox", Code: rdma.ErrState, Detail: "the answer has been taken"}

// ask puts the value of an ask into a message, or into a mailbox of this process. If it fails, the call
// is given back. The caller holds mu.
func (s *Sender[T, R]) ask(ctx context.Context, c *call[R], v *T) (err error) {
	if err := s.place(ctx, c); err != nil {
		s.drop(c)
		return notDelivered(err)
	}
	sent := false
	defer func() { // also if the codec panics
		if !sent {
			s.asks[c.id&0xffff] = nil
			s.freeAsk = append(s.freeAsk, uint32(c.id&0xffff))
			s.wakeNext()
			s.drop(c)
		}
	}()
	if s.hand(v, c) {
		c.handed = true
	} else if err = s.turn(ctx, c); err != nil {
		return notDelivered(err)
	} else if err = s.post(ctx, c, kindAsk, v, true); err != nil {
		return err
	}
	sent = true
	return nil
}

// answerOf waits for the answer to an ask. The caller holds mu.
func (s *Sender[T, R]) answerOf(ctx context.Context, c *call[R]) (answer R, err error) {
	c.want = wantAnswer
	if err := s.await(ctx, c); err != nil {
		c.want = 0 // endAsk drops the call when the answer comes
		return answer, s.given(c, err)
	}
	answer, err = c.answer, c.err
	panics := c.panics
	if s.drop(c); panics != nil {
		panic(panics)
	}
	return answer, err
}
