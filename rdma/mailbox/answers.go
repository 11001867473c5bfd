package mailbox

import (
	"errors"
	"fmt"
)

// errShut is why nothing can be sent to a mailbox that is closing.
var errShut = errors.New("the mailbox has been closed")

// maxReason is the longest text of a refusal, in bytes.
const maxReason = 100

// message handles the first record of what the mailbox has sent, and returns those behind it. An error
// says that the mailbox does not keep to the protocol.
func (s *Sender[T, R]) message(b []byte) (rest []byte, err error) {
	h, end := parse(b)
	if end == 0 {
		return nil, noRecord(b)
	}
	body, rest := b[headerSize:end:end], b[end:]
	if h.placed < s.placed || h.placed > s.left {
		return nil, fmt.Errorf("%w: %d values placed, after %d of %d", ErrProtocol, h.placed, s.placed, s.left)
	}
	if s.shut && h.placed > s.placed { // calls have been told that their values were not taken
		return nil, fmt.Errorf("%w: %d values placed, after it was closed with %d", ErrProtocol, h.placed, s.placed)
	}
	switch h.kind {
	case kindPlaced:
	case kindClosed:
		s.shut = true
		s.wakeAll()
	case kindAnswer, kindDecline:
		if err := s.answered(h, body); err != nil {
			return nil, err
		}
	case kindRefused:
		if h.id > h.placed || h.id <= s.placed {
			return nil, fmt.Errorf("%w: value %d refused, with %d to %d placed", ErrProtocol, h.id, s.placed, h.placed)
		}
		s.refused++
		s.refuse(h.id, notDelivered(fmt.Errorf("the mailbox has refused the value: %s", body)))
	default:
		return nil, fmt.Errorf("%w: kind %d from a mailbox", ErrProtocol, h.kind)
	}
	s.placed = h.placed
	s.takeBack(s.placed)
	return rest, nil
}

// refuse gives the error to the call of the value, if it still waits, and otherwise to the next Flush.
func (s *Sender[T, R]) refuse(seq uint64, err error) {
	for c := s.placing.first; c != nil; c = c.next {
		if c.seq == seq && !c.flush {
			c.err = err
			return
		}
	}
	for i, c := range s.asks {
		if c != nil && c.seq == seq {
			c.err, c.done = err, true
			s.endAsk(i)
			return
		}
	}
	if s.refusals.Count++; s.refusals.Count == 1 { // no call waits for the value
		s.refusals.First, s.refusals.Err = s.handed+seq, err // none is handed before the value is placed
	}
}

// answered gives an answer to its call.
func (s *Sender[T, R]) answered(h header, body []byte) error {
	i := int(h.id & 0xffff)
	if i >= len(s.asks) || s.asks[i] == nil || s.asks[i].id != h.id || s.asks[i].seq == 0 || s.asks[i].seq > h.placed {
		return fmt.Errorf("%w: an answer to ask %#x, which does not wait, has not left or is not counted in %d placed", ErrProtocol, h.id, h.placed)
	}
	c := s.asks[i]
	if h.kind == kindDecline {
		c.err = fmt.Errorf("mailbox: %w: %s", ErrDeclined, body)
	} else {
		s.decode(c, body)
	}
	if s.in.region.Freed() { // by the adapter, meanwhile: the memory may have read as zeros
		c.err = unknown(errClosed)
	}
	c.done = true
	s.endAsk(i)
	return nil
}

// endAsk frees the place of an ask that has been answered. A call that has gone away meanwhile
// left itself for this.
func (s *Sender[T, R]) endAsk(i int) {
	c := s.asks[i]
	s.asks[i] = nil
	s.freeAsk = append(s.freeAsk, uint32(i))
	switch {
	case c.want == wantAnswer:
		s.signal(c)
	case !c.kept:
		s.drop(c)
	}
}
