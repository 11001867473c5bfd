package mailbox

import (
	"context"
	"runtime"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// outgoing is a message of a sender that has not left: values behind each other in a slot.
type outgoing struct {
	slot uint32
	used int    // bytes
	last uint64 // the number of its last value
}

// room reports whether the latest message that has not left has room for any value.
func (s *Sender[T, R]) room() bool {
	n := len(s.pending)
	return n > 0 && s.pending[n-1].used+s.record <= s.size
}

// depart lets the values leave that were put into messages. While calls that were woken have not run,
// it lets them run first: what they send goes into the same messages. So a value that is alone leaves
// at once, and many leave together. The caller holds mu, and gives it away meanwhile.
func (s *Sender[T, R]) depart() {
	if s.departing || len(s.pending) == 0 {
		return // another call is about to do it
	}
	if s.awake > 0 && !s.flight.full() {
		s.departing = true
		s.mu.Unlock()
		runtime.Gosched()
		s.mu.Lock()
		s.departing = false
	}
	s.push()
	if s.owed {
		s.owed = false
		s.leave()
	}
}

// push posts messages, as far as the mailbox has receives for them. The others stay, the last of them
// with room for more, and leave when the mailbox has told that it is done with earlier ones. The caller
// holds mu. Behind the end of the connection, and while Close ends it, nothing leaves: a post would
// succeed and be flushed, and count as one that has left, or be refused.
func (s *Sender[T, R]) push() {
	n := 0
	for ; n < len(s.pending) && !s.flight.full() && s.broken == nil && !s.over && !s.parting; n++ {
		m := &s.pending[n]
		err := s.conn.PostSend(rdma.Send{From: s.out.at(m.slot).Slice(0, m.used), Cookie: uint64(m.slot), Flags: s.waking()})
		if err != nil {
			s.broken = err
			_ = s.conn.Abort() // calls wait for what is in the message
			break
		}
		if s.near != nil {
			s.near.b.crowd.Store(true) // behind the post, so that the intake finds the value when it clears this
		}
		s.flight.add(m.last)
		s.left = m.last
	}
	s.pending = s.pending[:copy(s.pending, s.pending[n:])]
	if s.pusher != nil && len(s.pending) == 0 {
		s.signal(s.pusher)
	}
}

// waking is the flag of the next message. Its completion gives its memory back, which is seldom waited for: then all of
// the memory is in use, and as many messages as may be under way have left without that. So one in that many wakes the call.
func (s *Sender[T, R]) waking() rdma.Flags {
	if s.quiet++; s.quiet < len(s.flight.last) {
		return rdma.NoWake
	}
	s.quiet = 0
	return 0
}

// leave is for calls that return while messages wait for receives: without a call that waits, nobody
// would let them leave. The caller holds mu.
func (s *Sender[T, R]) leave() {
	if s.owed = s.departing; s.owed || s.pushing || len(s.pending) == 0 || s.over {
		return
	}
	s.pushing = true
	s.pushers.Add(1)
	go s.pushAll()
}

// pushAll waits until all messages have left, or the connection has ended.
func (s *Sender[T, R]) pushAll() {
	defer s.pushers.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.newCall()
	c.want = wantGone
	s.pusher = c
	_ = s.await(context.Background(), c)
	s.pusher, s.pushing = nil, false
	s.drop(c)
}

// append puts a value behind those that have not left. The caller holds mu and has its turn, and there
// is room.
func (s *Sender[T, R]) append(c *call[R], k kind, v *T) error {
	m := &s.pending[len(s.pending)-1]
	b := s.out.at(m.slot).Bytes()
	if b == nil {
		return errClosed
	}
	b = b[m.used:]
	n, long, err := s.values.put(b[headerSize:headerSize+s.values.slot], v)
	h := header{kind: k, length: n, id: c.id}
	var region *mem.Region
	if err == nil && long != nil {
		region, err = s.lend(&h, b[headerSize:], long)
	}
	if err != nil {
		return err
	}
	h.put(b)
	s.posted++
	c.seq = s.posted
	m.used += headerSize + h.length
	m.last = s.posted
	if region != nil {
		s.lent = append(s.lent, lent{c.seq, region})
	}
	if k == kindValue {
		s.last = c.seq
	}
	return nil
}
