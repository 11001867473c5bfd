package rsock

import "fmt"

// Sender is the half of a connection that sends: what the peer allows this side to write. It does
// not write.
//
// The peer's limits say, by the way, which messages its program has read, and so which of its
// halves are free again. A peer writes one entry for each such half, with the first window message
// that counts the last message of the half as read. So each window message tells
// whether an entry has come with it. That matters: the table must not be read at
// any other time, since the peer may be writing to it. There is one exception: while one thread of a C program reads,
// another may send a limit that counts a message whose bytes the first has not counted as free yet. Then
// the entry comes with the next limit.
type Sender struct {
	credits, reserve uint16
	seq              uint16 // data messages sent
	read             uint16 // of these, what the peer's program has read
	have             [Entries]Entry
	n                int // entries of have
	// ends are the sequence numbers at which the halves that have no entry now were full, oldest
	// first. The second half counts as full from the start: it has not been named yet.
	ends [Entries]uint16
	next int // where the next entry will be in the table
}

// NewSender begins with what the peer has said. Peers count data messages only, and C programs post
// no more receives than they have credits. A message of another kind may then find none, which ends
// the connection: at once on iWARP, elsewhere when the sender is tired of waiting. So some credits are
// left unused, unless the peer is known to have spare receives.
func NewSender(peer *Hello, spares bool) Sender {
	s := Sender{credits: peer.Credits, n: 1, next: 1}
	s.have[0] = peer.Half
	if !spares {
		s.reserve = min(8, peer.Credits/4)
	}
	return s
}

// Used is how many data messages the peer's program has not read, as far as this side knows, and how many there may
// be.
func (s *Sender) Used() (messages, most int) {
	return int(s.seq - s.read), int(s.credits) - int(s.reserve)
}

// Room is how many bytes the next message may carry; 0 if none may be sent now.
func (s *Sender) Room() int {
	if n, most := s.Used(); s.n == 0 || n >= most {
		return 0
	}
	return int(min(s.have[0].Length, MaxData))
}

// Next tells where the next message goes, if there is room for one.
func (s *Sender) Next() Entry { return s.have[0] }

// Put accounts for a message of n bytes, at most Room, and tells where they go.
func (s *Sender) Put(n int) Entry {
	e := &s.have[0]
	to := Entry{Addr: e.Addr, Key: e.Key, Length: uint32(n)}
	e.Addr += uint64(n)
	e.Length -= uint32(n)
	s.seq++
	if e.Length == 0 {
		s.ends[Entries-s.n] = s.seq
		copy(s.have[:], s.have[1:])
		s.n--
	}
	return to
}

// Window takes the limit of a window message. If an entry came with it, carries is true, index is
// its place in the table, and Add must be called with it, or, if the place is empty, at the next window message.
func (s *Sender) Window(limit uint16) (index int, carries bool, err error) {
	read := limit - s.credits
	if read-s.read > s.seq-s.read {
		return 0, false, fmt.Errorf("the peer allows messages up to %d, which says that it has read %d more than were sent", limit, read-s.seq)
	}
	s.read = read
	if s.n == Entries || s.seq-read > s.seq-s.ends[0] {
		return 0, false, nil
	}
	return s.next, true, nil
}

// Add takes the entry that came with a window message.
func (s *Sender) Add(e Entry) error {
	if err := e.check("an entry of the table"); err != nil {
		return err
	}
	s.have[s.n] = e
	s.n++
	copy(s.ends[:], s.ends[1:])
	s.next = (s.next + 1) % Entries
	return nil
}
