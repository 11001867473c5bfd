package integration_test

import (
	"encoding/binary"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// How much each goroutine that posts has: places in memory, which it uses in
// turn, and how large a place is.
const (
	partyDepth  = 32
	posters     = 3 // the last posts batches
	places      = 128
	placeSize   = 4 << 10
	pageSize    = places * placeSize
	bigSize     = 512 << 10
	countersAt  = posters * (pageSize + bigSize)
	partyMemory = countersAt + 4096
)

// A party is one side of one connection, with the books of it.
type party struct {
	t        *testing.T
	adapter  *rdma.Adapter
	zone     *rdma.Zone
	endpoint *rdma.Endpoint
	conn     *rdma.Conn
	peer     *party
	window   *mem.Window
	byCalls  bool // receives are those of waiting calls

	// Memory, by what the adapter does to it: sent and written from, received
	// into, fetched into, changed by the peer, fetched by the peer.
	out, in, fetched, target, constant *mem.Region

	requests, receives *rdma.CompletionQueue
	sent, received     *ledger
	pages              [posters]pageState
	nextReceive        atomic.Int64 // the first whose place is not free again
	freedReceive       chan struct{}

	accepted  [posters]int          // messages
	lost      [posters]atomic.Int64 // messages that were not sent after all
	confirmed atomic.Int64          // messages whose success was told
	arrived   [posters + 1]int      // messages of the peer; the last are of calls
	numbers   [posters]int64        // requests accepted before the end
	counted   [posters][2]uint64    // additions and exchanges

	receivesPosted int64
	story          string // of the connection, on the side where it happened
	orderly        bool   // what this side posted must be done
}

// pageState is what a goroutine that posts shares with the one that takes the
// completions.
type pageState struct {
	meta [places]meta
	seen atomic.Int64 // the next number after the latest completion
	some chan struct{}
}

// meta is what is known of a request whose completion will come.
type meta struct {
	op   rdma.Op
	n    int
	off  int
	want uint64
}

func newParty(t *testing.T, a *rdma.Adapter, zone *rdma.Zone) *party {
	t.Helper()
	p := &party{t: t, adapter: a, zone: zone, sent: newLedger("requests", posters), received: newLedger("receives", 1), freedReceive: make(chan struct{}, 1)}
	for i := range p.pages {
		p.pages[i].some = make(chan struct{}, 1)
	}
	p.out = made(zone.Alloc(posters*pageSize+pageSize, mem.Local))(t)
	p.in = made(zone.Alloc(pageSize, mem.Local))(t)
	p.fetched = made(zone.Alloc(posters*(pageSize+bigSize)+pageSize, mem.Local|mem.RemoteWrite))(t)
	p.target = made(zone.Alloc(partyMemory, mem.All))(t)
	p.constant = made(zone.Alloc(bigSize, mem.LocalRead|mem.RemoteRead))(t)
	paint(p.constant.Bytes(), 0)
	p.window = made(zone.NewWindow(mem.ZoneWindow))(t)
	return p
}

func (p *party) place(page int, n int64) int { return page*pageSize + int(n%places)*placeSize }

// message is what number n of a page says.
func (p *party) message(b []byte, page, seq int) {
	paint(b, page<<20+seq)
	binary.BigEndian.PutUint32(b, uint32(page))
	binary.BigEndian.PutUint32(b[4:], uint32(seq))
	binary.BigEndian.PutUint32(b[8:], uint32(len(b)))
}

const headSize = 12

// came checks a message of the peer. Only one goroutine takes them.
func (p *party) came(b []byte) {
	if len(b) < headSize {
		p.t.Errorf("a message of %d bytes came", len(b))
		return
	}
	page, seq := int(binary.BigEndian.Uint32(b)), int(binary.BigEndian.Uint32(b[4:]))
	if n := int(binary.BigEndian.Uint32(b[8:])); n != len(b) || page > posters {
		if p.in.Freed() {
			return
		}
		p.t.Errorf("message %d of page %d has %d bytes, %d were sent", seq, page, len(b), n)
		return
	}
	p.count(page, seq)
	body := b[headSize:]
	want := make([]byte, len(b))
	paint(want, page<<20+seq)
	if string(body) != string(want[headSize:]) && !p.in.Freed() {
		p.t.Errorf("message %d of page %d: the data is wrong", seq, page)
	}
}

// count checks that messages come in order and none is missing. Those of calls
// may miss some: a call that is cancelled may not have posted its message.
func (p *party) count(page, seq int) {
	if page > posters || seq < p.arrived[page] || page < posters && seq > p.arrived[page] {
		p.t.Errorf("message %d of page %d came, %d was due", seq, page, p.arrived[min(page, posters)])
		return
	}
	p.arrived[page] = seq + 1
}

// complete takes a completion into the books. One goroutine at a time takes the
// requests of a party, and one the receives.
func (p *party) complete(c *rdma.Completion) {
	if c.Op.IsRecv() {
		p.completeReceive(c)
		return
	}
	page, n := int(c.Cookie>>32), int64(c.Cookie&0xffffffff)
	if page >= posters {
		p.sent.complete(c)
		return
	}
	st := &p.pages[page]
	m := &st.meta[n%places]
	if op := m.op; op != c.Op {
		p.t.Errorf("number %d of page %d is %v, and completes as %v", n, page, op, c.Op)
	}
	message := c.Op == rdma.OpSend || c.Op == rdma.OpWriteImm
	switch {
	case c.Status != rdma.StatusOK:
		if message {
			p.lost[page].Add(1)
		}
	case message:
		p.confirmed.Add(1)
	default:
		p.checkFetched(c, page, n, m)
	}
	if c.Status == rdma.StatusOK && c.Length != m.n {
		p.t.Errorf("number %d of page %d, %v: %d bytes, %d were posted", n, page, c.Op, c.Length, m.n)
	}
	p.sent.complete(c)
	st.seen.Store(n + 1)
	signal(st.some)
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// checkFetched looks at what a request has brought.
func (p *party) checkFetched(c *rdma.Completion, page int, n int64, m *meta) {
	b := p.fetched.Bytes()
	if b == nil {
		return // freed meanwhile
	}
	b = b[p.place(page, n):]
	switch c.Op {
	case rdma.OpFetchAdd, rdma.OpCompareSwap:
		if got := binary.NativeEndian.Uint64(b); got != m.want && !p.fetched.Freed() {
			p.t.Errorf("number %d of page %d, %v: fetched %d, want %d", n, page, c.Op, got, m.want)
		}
	case rdma.OpRead:
		if m.n > placeSize {
			return
		}
		want := p.peer.constant.Bytes()
		if want != nil && string(b[:m.n]) != string(want[m.off:m.off+m.n]) && !p.fetched.Freed() && !p.peer.constant.Freed() {
			p.t.Errorf("number %d of page %d: the data read is wrong", n, page)
		}
	case rdma.OpBind:
		if c.Window != p.window {
			p.t.Errorf("number %d of page %d: bound window %p, want %p", n, page, c.Window, p.window)
		}
	}
}

func (p *party) completeReceive(c *rdma.Completion) {
	n := int64(c.Cookie & 0xffffffff)
	if c.Status == rdma.StatusOK {
		b := p.in.Bytes()
		switch at := p.place(0, n); {
		case b == nil: // freed: nobody knows what came
		case c.Op == rdma.OpRecvWriteImm:
			p.count(int(c.Immediate>>24), int(c.Immediate&0xffffff))
		case c.Op == rdma.OpRecv:
			p.came(b[at : at+c.Length])
		default:
			p.t.Errorf("receive %d completed as %v", n, c.Op)
		}
	}
	p.received.complete(c)
	p.nextReceive.Store(n + 1)
	signal(p.freedReceive)
}

// postLate posts after the end: that is flushed.
func (p *party) postLate() {
	const page = posters - 1
	st := &p.pages[page]
	eventually(p.t, "the last completions are taken", func() bool { return st.seen.Load() > p.numbers[page]-places/2 })
	for range 3 {
		p.sent.post(page, 0, func(cookie uint64) error {
			st.meta[cookie%places] = meta{op: rdma.OpRead}
			return p.endpoint.PostRead(rdma.Read{From: p.peer.target.Remote().Slice(0, 0), Cookie: cookie})
		})
		if !p.byCalls {
			p.postReceive(p.endpoint.PostRecv)
		}
	}
}

// waitPlace waits until the place of request n is free again, and tells whether
// it is: not if the connection has ended.
func (p *party) waitPlace(page int, n int64) bool {
	st := &p.pages[page]
	for st.seen.Load() <= n-places {
		select {
		case <-st.some:
		case <-p.conn.Context().Done():
			return false
		}
	}
	return true
}

// flagsFor draws the flags of request n. Some have to be seen, so that places
// become free.
func flagsFor(r *rand.Rand, n int64) rdma.Flags {
	var f rdma.Flags
	if n%8 != 0 && r.IntN(3) == 0 {
		f |= rdma.Suppress
	}
	if r.IntN(3) == 0 {
		f |= rdma.Unsignalled
	}
	if r.IntN(8) == 0 {
		f |= rdma.Fence
	}
	return f
}

// check closes the books. It tells how many posts there were, and how many of
// them did not succeed.
func (p *party) check(what string) (posts, failures int) {
	p.t.Helper()
	posts, failures = p.sent.check(p.t, what)
	n, k := p.received.check(p.t, what)
	y := p.peer
	arrived := 0
	for page := range posters {
		arrived += y.arrived[page]
		if due := p.accepted[page] - int(p.lost[page].Load()); p.orderly && y.arrived[page] != due {
			p.t.Errorf("%s: %d messages of page %d arrived, %d were sent", what, y.arrived[page], page, due)
		}
	}
	if n := int(p.confirmed.Load()); p.conn.Acked() && !y.byCalls && !y.in.Freed() && arrived < n {
		p.t.Errorf("%s: %d messages arrived, and %d were confirmed", what, arrived, n)
	}
	if p.orderly && !p.t.Failed() {
		p.checkWritten(what)
	}
	return posts + n, failures + k
}

// checkWritten looks at what the peer's memory holds after an orderly end.
func (p *party) checkWritten(what string) {
	p.t.Helper()
	b := p.peer.target.Bytes()
	for page := range posters {
		done := min(p.numbers[page], int64(p.sent.firstFailure(page)))
		// A place may have been drawn for again, in vain: a batch has up to 12.
		for n := max(0, p.numbers[page]-places+16); n < done; n++ {
			m := &p.pages[page].meta[n%places]
			if (m.op != rdma.OpWrite && m.op != rdma.OpWriteImm) || m.n > placeSize {
				continue
			}
			if at := differs(b[m.off:m.off+m.n], page<<20+int(n)); at >= 0 {
				p.t.Errorf("%s: number %d of page %d: byte %d of %d is not what was written", what, n, page, at, m.n)
				return
			}
		}
	}
}

// closeParties closes what the parties have, after their endpoints.
func closeParties(t *testing.T, all []*party) {
	t.Helper()
	for _, p := range all {
		must(t, p.window.Free())
		for _, m := range []*mem.Region{p.out, p.in, p.fetched, p.target, p.constant} {
			must(t, m.Free())
		}
		must(t, p.requests.Close())
		must(t, p.receives.Close())
	}
}
