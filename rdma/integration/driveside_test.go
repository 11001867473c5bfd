package integration_test

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// A driveEnd is one end of a link: an endpoint, its memory and its records, for all rounds.
type driveEnd struct {
	d        *driver
	link     int
	side     int // 0 or 1
	plan     *linkPlan
	host     *driveHost
	peer     *driveEnd
	endpoint *rdma.Endpoint
	byCalls  bool

	out, into, target, constant, lent, calls *field // see newDriveEnd
	inbox                                    *inbox // of its own, or of its adapter
	windows                                  [2]*mem.Window
	lentAt                                   atomic.Pointer[mem.Remote] // what the peer may read through windows[0]

	rounds []*driveRound // by the number of the round
	closed atomic.Bool   // its endpoint or adapter is
}

// A driveRound is one connection of a driveEnd.
type driveRound struct {
	*driveEnd
	number int
	plan   *roundPlan
	conn   *rdma.Conn
	lanes  []*lane

	arrived  [mostLanes + 1][]int // messages of the peer, by its lanes; the last is of calls
	orderly  bool
	strays   atomic.Int32
	lateFrom int // index of the first late post of lane 0
}

// newDriveEnd registers the memory of a side:
//
//	out       sends and writes take their bytes from it
//	into      reads and atomics put what they fetch there
//	target    the peer writes into it, and its atomics change the counters behind
//	constant  the peer reads it, and it never changes
//	lent      windows are bound to it; constant, too
//	calls     what the waiting calls use
func newDriveEnd(d *driver, host *driveHost, l *linkPlan, link, side int) *driveEnd {
	s := &driveEnd{d: d, link: link, side: side, plan: l, host: host, byCalls: l.byCalls[side]}
	make := func(name string, size int, rights mem.Rights) *field {
		return host.newField(name, size, rights, l.foreign[side])
	}
	s.out = make("out", mostLanes*lanePlaces, mem.Local)
	s.into = make("into", mostLanes*lanePlaces, mem.Local|mem.RemoteWrite)
	s.target = make("target", mostLanes*lanePlaces+4096, mem.All)
	s.constant = make("constant", constSize, mem.LocalRead|mem.RemoteRead)
	s.lent = make("lent", constSize, mem.LocalRead|mem.RemoteRead)
	s.calls = make("calls", callPlaces*smallSize, mem.All)
	copy(s.constant.raw, data(s.constantData(), 0, constSize))
	copy(s.lent.raw, data(s.constantData(), 0, constSize))
	if host.inbox != nil {
		s.inbox = host.inbox
	} else {
		s.inbox = newInbox(d, host.newField("receive", recvPlaces*recvSize, mem.Local, l.foreign[side]), false)
	}
	for i := range s.windows {
		w, err := host.zone.NewWindow(mem.ZoneWindow)
		d.check(err)
		s.windows[i] = w
	}
	return s
}

func (s *driveEnd) constantData() uint64 { return uint64(0xc0+s.side)<<56 | uint64(s.link) }

// payload returns the data of number i of a lane.
func (s *driveEnd) payload(round, lane, i int) uint64 {
	return uint64(s.side)<<60 | uint64(s.link)<<48 | uint64(round)<<40 | uint64(lane)<<32 | uint64(i)
}

// head is the header of a message: its lane, its number and its length.
func (s *driveEnd) head(b []byte, round, lane, i, n int) {
	binary.BigEndian.PutUint64(b, s.payload(round, lane, i))
	binary.BigEndian.PutUint32(b[8:], uint32(n))
	binary.BigEndian.PutUint64(b[12:], ^s.payload(round, lane, i))
}

// begin starts the record of a round and clears the memory for it. It returns nil if the
// memory was freed with its adapter.
func (s *driveEnd) begin(number int) *driveRound {
	r := &driveRound{driveEnd: s, number: number, plan: &s.plan.rounds[number]}
	for i := range r.plan.lanes[s.side] {
		r.lanes = append(r.lanes, newLane(r, i))
	}
	s.d.booksMu.Lock()
	s.rounds = append(s.rounds, r)
	s.d.booksMu.Unlock()
	s.lentAt.Store(nil)
	if !s.target.use(func(b []byte) {
		fillWith(b, rest)
		clear(b[mostLanes*lanePlaces:])
	}) {
		return nil
	}
	return r
}

// complete records a completion. Completions of one endpoint's requests come from one
// goroutine at a time, and so do those of its receives.
func (s *driveEnd) complete(c *rdma.Completion) {
	if c.Op.IsRecv() {
		s.inbox.complete(s, c)
		return
	}
	number, index, i := int(c.Cookie>>48), int(c.Cookie>>32&0xffff), int(c.Cookie&0xffffffff)
	s.d.booksMu.Lock()
	var r *driveRound
	if number < len(s.rounds) {
		r = s.rounds[number]
	}
	s.d.booksMu.Unlock()
	if r != nil && index == 0xffff && c.Op == rdma.OpBind && c.Status != rdma.StatusOK && r.strays.Add(1) == 1 {
		return // see driveRound.strayCookie
	}
	if r == nil || index >= len(r.lanes) {
		s.d.failf("link %d side %d: a completion of no post: %v", s.link, s.side, c)
		return
	}
	r.lanes[index].complete(i, c)
}

// current is the round under way.
func (s *driveEnd) current() *driveRound {
	s.d.booksMu.Lock()
	defer s.d.booksMu.Unlock()
	if len(s.rounds) == 0 {
		return nil
	}
	return s.rounds[len(s.rounds)-1]
}
