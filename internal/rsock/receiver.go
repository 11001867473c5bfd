package rsock

import "fmt"

// Receiver is the half of a connection that receives: what was announced to the peer, what has
// arrived of it, and what the program has read.
type Receiver struct {
	// Sparing has window messages wait until the peer is soon short of room or credits, the first
	// one excepted. Without it they are sent as soon as they are of use.
	Sparing bool

	credits   uint16
	entries   uint32 // of the peer's table
	next      uint32 // where the next entry goes in it
	seen      uint16 // data messages that have arrived
	read      uint16 // of these, what the program has read
	announced uint16 // the value of read that the peer knows
	halves    [Entries]half
	n         int // halves that the peer may write or the program has not read
	lengths   fifo
	begun     bool // a half was announced
	crowded   bool // when a half became free, the peer had filled most of the next one
	cut       bool // a long message has ended with the latest half that is full
}

// half is a half of the ring.
type half struct{ size, got, read int }

// NewReceiver begins with the credits and the first half that this side has announced in its own
// Hello. entries is the length of the peer's table.
func NewReceiver(credits uint16, size int, entries uint32) Receiver {
	r := Receiver{credits: credits, entries: entries, next: 1, n: 1}
	r.halves[0].size = size
	return r
}

// Data takes a data message of n bytes.
func (r *Receiver) Data(n uint32) error {
	if n == 0 {
		return fmt.Errorf("a data message has no bytes")
	}
	if err := r.count(); err != nil {
		return err
	}
	for i := range r.n {
		h := &r.halves[i]
		if room := h.size - h.got; room > 0 {
			if uint64(n) > uint64(room) {
				return fmt.Errorf("a data message has %d bytes, and %d fit", n, room)
			}
			h.got += int(n)
			if n := int(n); n == room {
				r.cut = n >= h.size/4
			}
			r.lengths.push(n)
			return nil
		}
	}
	return fmt.Errorf("a data message has %d bytes, and the ring is full", n)
}

// IOMap takes a message about zero-copy memory. This side has none; but the message counts.
func (r *Receiver) IOMap() error {
	if err := r.count(); err != nil {
		return err
	}
	r.lengths.push(0)
	r.skip()
	return nil
}

// count counts a message against the credits.
func (r *Receiver) count() error {
	if r.seen-r.announced >= r.credits {
		return fmt.Errorf("the peer sent more than the %d messages that it may", r.credits)
	}
	r.seen++
	return nil
}

// Ready is how many bytes the program can read in one piece, and where they begin in the
// oldest half.
func (r *Receiver) Ready() (offset, n int) {
	h := &r.halves[0]
	return h.read, h.got - h.read
}

// Read accounts for n bytes that the program has read; more than Ready tells count as that. It reports
// whether the oldest half is free now: then the next one is the oldest.
func (r *Receiver) Read(n int) (freed bool) {
	h := &r.halves[0]
	n = min(n, h.got-h.read)
	h.read += n
	for n > 0 {
		first := r.lengths.front()
		part := min(n, int(*first))
		*first -= uint32(part)
		n -= part
		r.skip()
	}
	if h.read < h.size {
		return false
	}
	copy(r.halves[:], r.halves[1:])
	r.halves[Entries-1] = half{}
	r.n--
	r.crowded = r.crowded || r.n > 0 && r.room() < r.halves[0].size/2
	return true
}

// room is how much the peer may write now.
func (r *Receiver) room() int {
	n := 0
	for i := range r.n {
		n += r.halves[i].size - r.halves[i].got
	}
	return n
}

// skip counts the messages of which nothing is left as read.
func (r *Receiver) skip() {
	for r.lengths.n > 0 && *r.lengths.front() == 0 {
		r.lengths.pop()
		r.read++
	}
}

// Halves is how many halves the peer may write or the program has not read, oldest first.
func (r *Receiver) Halves() int { return r.n }

// NeedsHalf reports whether a half is free and must be announced, with Announce. Peers know from a
// limit whether a half must have come with it, so a limit that is due takes the half along.
func (r *Receiver) NeedsHalf() bool {
	switch {
	case r.n == Entries:
		return false
	case !r.Sparing || !r.begun || r.n == 0:
		return true
	}
	return r.room() < r.halves[r.n-1].size/4 || r.NeedsLimit()
}

// NeedsLimit reports whether a new limit must be sent although no half is announced, with Limit.
// Peers leave up to a quarter of their credits unused.
func (r *Receiver) NeedsLimit() bool {
	unknown := r.read - r.announced
	if r.Sparing {
		return unknown >= r.credits-r.credits/4
	}
	return unknown >= max(1, r.credits/2)
}

// Steps by which a half grows.
const (
	growth     = 2
	longGrowth = 16
)

// Size is how large the half should be that is announced next, of which free bytes are there: that many, or more, up to
// most. It is more if the peer was most of a half ahead of the program since the last half was announced: a larger ring
// would let it go on. A sparing receiver tells the peer late, whatever the program does; a peer that has no room at all then
// waits for it. Where the end of a half has cut a long message, the peer has much more to write than a half, and would
// wait at each small step. The halves follow one another: the peer waits as soon as it has filled the smaller one.
func (r *Receiver) Size(free, most int) int {
	size := free
	switch {
	case !r.crowded && (!r.Sparing || r.room() > 0):
	case r.cut:
		size = longGrowth * min(free, most/longGrowth)
	default:
		size = growth * min(free, most/growth)
	}
	if r.n > 0 {
		size = max(size, r.halves[r.n-1].size)
	}
	return max(size, free)
}

// Announce accounts for a half of size bytes that is announced to the peer. The entry goes to the
// place index of the peer's table, and limit into the message.
func (r *Receiver) Announce(size int) (index uint32, limit uint16) {
	index = r.next
	r.next = (r.next + 1) % r.entries
	r.halves[r.n] = half{size: size}
	r.n++
	r.begun, r.crowded = true, false
	return index, r.Limit()
}

// Limit is the limit for a window message that is sent now.
func (r *Receiver) Limit() uint16 {
	r.announced = r.read
	return r.read + r.credits
}
