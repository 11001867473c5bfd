package integration_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"sync"

	"github.com/godapl/godapl/rdma"
)

// An inbox posts and tracks the receives of one endpoint, or the receives that all endpoints
// of an adapter share.
type inbox struct {
	d      *driver
	field  *field
	shared bool
	some   chan struct{}

	mu     sync.Mutex
	number [recvPlaces]uint64 // of the receive that is posted in a place; 0: none
	next   uint64
	latest uint64
	failed bool
}

func newInbox(d *driver, f *field, shared bool) *inbox {
	b := &inbox{d: d, field: f, shared: shared, some: make(chan struct{}, 1)}
	fillWith(f.raw, rest)
	return b
}

// begin makes the inbox ready for another connection.
func (b *inbox) begin() {
	b.mu.Lock()
	b.failed = false
	b.mu.Unlock()
}

// post posts a receive in a free place. ErrQueueFull if there is none.
func (b *inbox) post(one func(rdma.Recv) error) error {
	b.mu.Lock()
	place := 0
	for place < recvPlaces && b.number[place] != 0 {
		place++
	}
	if place == recvPlaces {
		b.mu.Unlock()
		return rdma.ErrQueueFull
	}
	b.next++
	n := b.next
	b.number[place] = n
	b.mu.Unlock()
	b.resting(place)
	err := one(rdma.Recv{Into: b.field.region.Slice(place*recvSize, recvSize), Cookie: n<<16 | uint64(place)})
	if err != nil {
		b.mu.Lock()
		if b.number[place] != n {
			b.d.failf("a receive was refused (%v) and completed", err)
		}
		b.number[place] = 0
		b.mu.Unlock()
	}
	return err
}

// resting checks that a place has not changed since its last completion.
func (b *inbox) resting(place int) {
	b.field.use(func(mem []byte) {
		at := place * recvSize
		if w := wrong(mem[at:at+recvSize], rest[:recvSize]); w != "" {
			b.d.failf("the place of receive %d was written to after its completion: %s", b.next, w)
			copy(mem[at:at+recvSize], rest)
		}
	})
}

// posted counts the receives that are not complete.
func (b *inbox) posted() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, k := range b.number {
		if k != 0 {
			n++
		}
	}
	return n
}

// complete records the completion of a receive of s.
func (b *inbox) complete(s *driveEnd, c *rdma.Completion) {
	defer signal(b.some)
	n, place := c.Cookie>>16, int(c.Cookie&0xffff)
	b.mu.Lock()
	defer b.mu.Unlock()
	ok := c.Status == rdma.StatusOK
	switch {
	case place >= recvPlaces || n == 0 || b.number[place] != n:
		b.d.failf("link %d side %d: a completion of no receive: %v", s.link, s.side, c)
		return
	case b.shared:
	case n <= b.latest:
		b.d.failf("link %d side %d: receive %d completed after %d", s.link, s.side, n, b.latest)
	case ok && b.failed:
		b.d.failf("link %d side %d: receive %d succeeded after a failure", s.link, s.side, n)
	}
	b.latest = max(b.latest, n)
	b.failed = b.failed || !ok
	b.field.use(func(mem []byte) {
		p := mem[place*recvSize : (place+1)*recvSize]
		switch {
		case !ok: // the content is undefined
		case c.Op == rdma.OpRecvWriteImm:
			s.cameImmediate(c)
			if w := wrong(p, rest[:recvSize]); w != "" {
				b.d.failf("link %d side %d: a write with immediate data changed the receive: %s", s.link, s.side, w)
			}
		case c.Op == rdma.OpRecv:
			s.came(p[:c.Length])
			if w := wrong(p[c.Length:], rest[:recvSize-c.Length]); w != "" {
				b.d.failf("link %d side %d: a message of %d bytes wrote after them: %s", s.link, s.side, c.Length, w)
			}
		default:
			b.d.failf("link %d side %d: receive %d completed as %v", s.link, s.side, n, c.Op)
		}
		copy(p, rest)
	})
	b.number[place] = 0
}

// keep posts receives until done, or until they are refused for good. Then it calls halt, so
// that the sender stops.
func (b *inbox) keep(done <-chan struct{}, post func(rdma.Recv) error, halt func()) {
	for {
		err := b.post(post)
		switch {
		case err == nil:
			continue
		case errors.Is(err, rdma.ErrQueueFull):
			select {
			case <-b.some:
			case <-done:
				return
			}
			continue
		case !errors.Is(err, rdma.ErrPrivileges) && !errors.Is(err, rdma.ErrState) && !errors.Is(err, rdma.ErrClosed):
			b.d.failf("a receive was refused: %v", err)
		}
		halt()
		return
	}
}

// came checks a message of the peer.
func (s *driveEnd) came(b []byte) {
	if len(b) < headSize {
		s.d.failf("link %d side %d: a message of %d bytes arrived", s.link, s.side, len(b))
		return
	}
	id, n, again := binary.BigEndian.Uint64(b), int(binary.BigEndian.Uint32(b[8:])), binary.BigEndian.Uint64(b[12:])
	round, index, i := int(id>>40&0xff), int(id>>32&0xff), int(id&0xffffffff)
	if again != ^id || id != s.peer.payload(round, index, i) || n != len(b) {
		s.d.failf("link %d side %d: a message of %d bytes begins with %x", s.link, s.side, len(b), b[:headSize])
		return
	}
	if w := wrong(b[headSize:], data(id, 0, n-headSize)); w != "" {
		s.d.failf("link %d side %d round %d: message %d of lane %d: %s", s.link, s.side, round, i, index, w)
	}
	s.count(round, index, i)
}

func (s *driveEnd) cameImmediate(c *rdma.Completion) {
	s.count(int(c.Immediate>>28), int(c.Immediate>>24&0xf), int(c.Immediate&0xffffff))
}

// count checks that the messages of a lane come in order.
func (s *driveEnd) count(round, index, i int) {
	s.d.booksMu.Lock()
	defer s.d.booksMu.Unlock()
	if index == callLane {
		index = mostLanes
	}
	if round >= len(s.rounds) || index > mostLanes {
		s.d.failf("link %d side %d: a message of lane %d of round %d arrived in round %d", s.link, s.side, index, round, len(s.rounds)-1)
		return
	}
	r := s.rounds[round]
	if l := r.arrived[index]; len(l) > 0 && l[len(l)-1] >= i {
		s.d.failf("link %d side %d round %d: message %d of lane %d arrived after %d", s.link, s.side, round, i, index, l[len(l)-1])
	}
	r.arrived[index] = append(r.arrived[index], i)
}

// receiveByCalls receives with blocking calls that are cancelled at random.
func (r *driveRound) receiveByCalls(draw *rand.Rand) {
	for i := 0; ; i++ {
		ctx, cancel := context.WithTimeout(context.Background(), moment(draw))
		into := r.inbox.field.region.Slice(i%recvPlaces*recvSize, recvSize)
		n, err := r.conn.Recv(ctx, into)
		cancel()
		if err == nil {
			r.inbox.field.use(func([]byte) {
				if b := into.Bytes(); b != nil {
					r.came(b[:n])
				}
			})
			continue
		}
		if !errors.Is(err, rdma.ErrTimeout) {
			r.wantEnd("receive", err)
			r.endpoint.Abort() // because there are no more receives
			return
		}
	}
}

// wantEnd checks the error of a call that was not cancelled.
func (r *driveRound) wantEnd(what string, err error) {
	for _, code := range []rdma.Code{rdma.ErrDisconnected, rdma.ErrBroken, rdma.ErrClosed, rdma.ErrState, rdma.ErrWork, rdma.ErrPrivileges} {
		if errors.Is(err, code) {
			return
		}
	}
	r.d.failf("link %d side %d: %s: %v", r.link, r.side, what, err)
}
