package mailbox

import (
	"crypto/rand"
	"encoding/binary"
	"net"
	"sync"
	"sync/atomic"
)

// A sender and a mailbox of one process are introduced to each other when they connect: then plain
// values and answers go through Go memory, if all that the sender has sent over the connection is in
// the mailbox, and if the mailbox has room for which no value of another sender waits. Everything else goes over the connection, as it does
// between processes: waiting for room, refusals, and both ends. So a value on the short way is in
// the mailbox when it has left.

// introductions are the senders that dial, by the number that their request carries. A peer of another
// process would have to guess it.
var introductions sync.Map // uint64 → *introduction

type introduction struct {
	sender any
	peer   atomic.Value // *peer, set by a mailbox of this process that accepts the sender
}

// introduce makes the number of a sender that dials.
func introduce(sender any) (number uint64, i *introduction) {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	i = &introduction{sender: sender}
	number = binary.BigEndian.Uint64(b[:])
	introductions.Store(number, i)
	return number, i
}

// meet finds the sender of this process that has the number, if there is one. A request that comes from
// elsewhere has no sender here, whatever its number says.
func (p *peer[T, R]) meet(number uint64) {
	if host, _, err := net.SplitHostPort(p.addr.String()); err != nil || host != "loop" {
		return
	}
	if found, ok := introductions.Load(number); ok {
		i := found.(*introduction)
		if s, ok := i.sender.(*Sender[T, R]); ok {
			p.b.intake.never.Store(true) // a call that leads does not see what comes the short way
			p.b.intake.do(func() {})     // none does behind this
			p.near = s
			i.peer.Store(p)
		}
	}
}

// localPeer is the peer that has met the sender, if it is the other end of its connection.
func (s *Sender[T, R]) localPeer(met *introduction, answer *hello) *peer[T, R] {
	if s.conn.Path() != "loop" || s.values.codec != nil || s.answers.codec != nil {
		return nil
	}
	if p, ok := met.peer.Load().(*peer[T, R]); ok && p.window == answer.window && len(p.open) == answer.asks {
		return p
	}
	return nil
}

// handed marks the id of an ask that came the short way.
const handed = 1 << 63

// hand puts a value into the mailbox the short way, if it can. It is an ask if c is not nil. The caller
// holds mu.
func (s *Sender[T, R]) hand(v *T, c *call[R]) bool {
	p := s.near
	if p == nil || p.b.crowd.Load() || s.over || s.shut || s.failure != nil || s.turns.first != nil || !s.values.wellFormed(v) {
		return false
	}
	if s.posted != s.placed {
		if s.look(); s.posted != s.placed {
			return false // it would overtake another one
		}
	}
	m := Message[T, R]{Value: *v, peer: p}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.parted {
		return false
	}
	if c != nil {
		m.ask = c.id | handed
		p.open[c.id&0xffff].Store(m.ask)
	}
	select {
	case p.b.queue <- m:
		s.handed++
		return true
	default: // what is full has senders that wait: they come first
		if c != nil {
			p.open[c.id&0xffff].Store(0)
		}
		return false
	}
}

// answer gives the sender of this process its answer, or the reason why there is none.
func (s *Sender[T, R]) answer(id uint64, answer *R, declined error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := int(id & 0xffff)
	if s.over || s.asks[i] == nil || s.asks[i].id|handed != id {
		return errLeft
	}
	c := s.asks[i]
	if c.err = declined; declined == nil {
		if s.answers.wellFormed(answer) {
			c.answer = *answer
		} else {
			c.err = badAnswer(errNotBool)
		}
	}
	c.done = true
	s.endAsk(i)
	s.wakeNext() // its place is free
	return nil
}

// leave ends the short way: what is put into the mailbox behind this came over the connection.
func (p *peer[T, R]) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.parted = true
}
