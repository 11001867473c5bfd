package mailbox

import (
	"context"
	"fmt"

	"github.com/godapl/godapl/rdma"
)

// Message is a value in a mailbox. It is the program's: the value is a copy.
type Message[T, R any] struct {
	// Value is what the sender has sent.
	Value T
	peer  *peer[T, R]
	ask   uint64
	down  error
}

// From is the sender.
func (m Message[T, R]) From() *Peer { return &m.peer.Peer }

// Asked reports whether the sender waits for an answer.
func (m Message[T, R]) Asked() bool { return m.ask != 0 }

// Down is why the sender's connection has ended, in the last message of a sender, which has no
// value; otherwise nil. There are such messages with Config.Down only.
func (m Message[T, R]) Down() error { return m.down }

// Reply answers an ask. It does not wait. While the mailbox holds further messages, the answer may stay
// until theirs, to leave with them: until the program waits for a message, or another goroutine has its
// turn, as the scheduler of Go lets it at the latest when this one has run for some ten milliseconds. If the program has come
// back for messages within a moment so far, that other goroutine has its turn after some two milliseconds. Each ask must be answered once, by Reply or Decline, by any
// goroutine and in any order: rdma.ErrState if it has been, or if the message is no ask. If the
// sender is gone, the error is that of its connection. An answer that is longer than Config.MaxAnswer or
// DialConfig.MaxAnswer is an error here (rdma.ErrLength), and so is one that the codec does not make;
// then the ask is declined. After other errors the ask is still open: rdma.ErrResources if the answers
// that are under way have all of Config.AnswerMemory.
func (m Message[T, R]) Reply(answer R) error {
	b, err := m.claim()
	if err != nil {
		return err
	}
	p := m.peer
	if m.ask&handed == 0 && b.answers.codec == nil {
		if err = p.plain(&answer, m.ask); err != nil {
			m.reopen()
			err = fmt.Errorf("mailbox: reply: %w", err)
		}
		p.mu.Unlock()
		b.using.RUnlock()
		return err
	}
	p.mu.Unlock()
	defer b.using.RUnlock()
	if m.ask&handed != 0 {
		return p.near.answer(m.ask, &answer, nil)
	}
	return m.encode(&answer)
}

// encode is Reply with a codec.
func (m Message[T, R]) encode(answer *R) error {
	p := m.peer
	panics := true
	defer func() {
		if panics {
			m.reopen()
		}
	}()
	slot, memory, number, n, err := p.encode(answer)
	panics = false
	if no, ok := err.(unmade); ok {
		if p.frame(kindDecline, m.ask, no.Error()) != nil {
			m.reopen()
		}
		return fmt.Errorf("mailbox: reply: %w", no.error)
	} else if err != nil {
		m.reopen()
		return fmt.Errorf("mailbox: reply: %w", err)
	}
	if err := p.encoded(header{kind: kindAnswer, length: n, id: m.ask}, slot, memory, number); err != nil {
		m.reopen()
		return fmt.Errorf("mailbox: reply: %w", err)
	}
	return nil
}

// Decline says that there will be no answer, and why; the asking side gets the first 100 bytes of
// the reason. All else is as with Reply.
func (m Message[T, R]) Decline(reason string) error {
	b, err := m.claim()
	if err != nil {
		return err
	}
	defer b.using.RUnlock()
	m.peer.mu.Unlock()
	if m.ask&handed != 0 {
		reason = reason[:min(len(reason), maxReason)]
		return m.peer.near.answer(m.ask, nil, fmt.Errorf("mailbox: %w: %s", ErrDeclined, reason))
	}
	if err := m.peer.frame(kindDecline, m.ask, reason); err != nil {
		m.reopen()
		return fmt.Errorf("mailbox: decline: %w", err)
	}
	return nil
}

// claim takes the ask off the open ones, and holds the memory of the mailbox and the peer's mu.
func (m Message[T, R]) claim() (*Mailbox[T, R], error) {
	if m.ask == 0 {
		return nil, stateError("the message is no ask")
	}
	p := m.peer
	b := p.b
	b.using.RLock()
	p.mu.Lock()
	open := &p.open[m.ask&0xffff]
	var err error
	switch {
	case open.Load() != m.ask:
		err = stateError("the ask has been answered")
	case p.ctx.Err() != nil:
		open.Store(0)
		err = fmt.Errorf("mailbox: reply: %w", context.Cause(p.ctx))
	case b.gone:
		open.Store(0)
		err = errClosed
	default:
		open.Store(0)
		b.rest.Add(-1)
		return b, nil
	}
	p.mu.Unlock()
	b.using.RUnlock()
	return nil, err
}

// reopen takes back claim: nothing has been sent, and the program may try again.
func (m Message[T, R]) reopen() {
	m.peer.open[m.ask&0xffff].Store(m.ask)
}

func stateError(detail string) error {
	return &rdma.Error{Op: "reply", Object: "mailbox", Code: rdma.ErrState, Detail: detail}
}
