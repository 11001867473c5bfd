package rdmatest_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// programLink is a connection of a program.
type programLink struct {
	p       *program
	number  int
	ends    [2]*programEnd
	sending sync.WaitGroup
	freeing bool // one end frees its loan while the other uses it
}

// programEnd is one end of it. Its memory:
//
//	constant  the peer reads it, and it never changes
//	target    the peer writes into it, and counts in its last 8 bytes
//	out       what this end sends and writes
//	into      where this end reads
//	places    receives, each its place
type programEnd struct {
	p        *program
	host     *programHost
	endpoint *rdma.Endpoint
	conn     *rdma.Conn
	region   *mem.Region
	bytes    []byte         // of region: they outlive it
	places   *programPlaces // of receives: this end's own, or shared
	sends    *taker
	takes    *taker
	window   *mem.Window
	lent     mem.Remote // what the peer lends through its window
	peer     *programEnd
	revoking bool // the window of this end is revoked while the peer reads
	// Memory that the peer uses, and that may be freed meanwhile, with what the peer knows of it.
	loan      *mem.Region
	loanBytes []byte
	loanAt    mem.Remote
	freed     bool
	// Two of this end's requests are of no right.
	trespassing bool
	count       uint64
	cookie      uint64
}

const (
	part   = 8192
	places = 8
	place  = 2048

	constantAt = 0
	targetAt   = part
	outAt      = 2 * part
	intoAt     = 3 * part
	placesAt   = 4 * part
	endSize    = placesAt + places*place

	loanSize = 60_000
)

// pattern is the value of a byte that nobody writes.
func pattern(at int) byte { return byte(at*7 + at>>8*13 + 3) }

func (p *program) connect(number int, x, y *programHost) *programLink {
	l := &programLink{p: p, number: number}
	for i, h := range []*programHost{x, y} {
		e := &programEnd{p: p, host: h, bytes: make([]byte, endSize)}
		var err error
		e.region, err = h.zone.Register(e.bytes, mem.All)
		must(p.t, err)
		for at := range e.bytes {
			e.bytes[at] = pattern(at)
		}
		clear(e.bytes[targetAt+part-8 : targetAt+part])
		cfg := rdma.EndpointConfig{Zone: h.zone}
		e.places = &programPlaces{region: e.region, bytes: e.bytes, at: placesAt}
		if h.shared != nil && p.draw.IntN(2) == 0 {
			e.places = h.shared
			cfg.SharedReceives = h.shared.queue
		}
		e.loanBytes = patterns(0, loanSize)
		e.loan, err = h.zone.Register(e.loanBytes, mem.All)
		must(p.t, err)
		e.loanAt = e.loan.All().Remote()
		e.endpoint, err = h.zone.Adapter().NewEndpoint(cfg)
		must(p.t, err)
		e.sends, err = newTaker(p.draw, e.endpoint.SendCompletions())
		must(p.t, err)
		e.takes, err = newTaker(p.draw, e.endpoint.RecvCompletions())
		must(p.t, err)
		for i := uint64(0); i < places && e.places.queue == nil; i++ {
			must(p.t, e.endpoint.PostRecv(e.places.recv(i)))
		}
		l.ends[i] = e
	}
	a, b := l.ends[0], l.ends[1]
	a.peer, b.peer = b, a
	ctx := p.w.Context()
	ln, err := y.zone.Adapter().Listen(ctx, y.h.Name()+":0", rdma.ListenConfig{})
	must(p.t, err)
	defer ln.Close()
	accepted := make(chan error, 1)
	go func() {
		var err error
		b.conn, err = (<-ln.Requests()).AcceptOn(ctx, b.endpoint, rdma.ConnConfig{})
		accepted <- err
	}()
	a.conn, err = a.endpoint.Connect(ctx, ln.Addr().String(), rdma.ConnConfig{})
	must(p.t, err)
	must(p.t, <-accepted)
	for _, e := range l.ends {
		e.window, err = e.host.zone.NewWindow(mem.EndpointWindow)
		must(p.t, err)
		e.peer.lent, err = e.conn.Bind(ctx, e.window, e.region.Slice(constantAt, part), mem.RemoteRead)
		must(p.t, err)
	}
	return l
}

// receive takes messages, checks them, and posts their receives again, until all are flushed. With late, it is
// sometimes late.
func (e *programEnd) receive(late bool) {
	draw := e.p.w.Rand("late")
	if e.places.queue != nil {
		e.receiveShared(draw, late)
		return
	}
	for left := places; left > 0; {
		c, err := e.takes.next(e.p.w.Context())
		if err != nil {
			if !errors.Is(err, rdma.ErrClosed) { // the adapter was killed
				e.failf("%d receives are left: %v", left, err)
			}
			return
		}
		e.received(c, draw, late)
		if c.Status != rdma.StatusOK || e.endpoint.PostRecv(e.places.recv(c.Cookie)) != nil {
			left--
		}
	}
}

// receiveShared does so with shared receives, until the connection is over: the others go on with what is left.
func (e *programEnd) receiveShared(draw *rand.Rand, late bool) {
	take := func(c rdma.Completion) {
		e.received(c, draw, late)
		if err := e.places.queue.PostRecv(e.places.recv(c.Cookie)); err != nil && e.p.fault.harmless {
			e.failf("post a shared receive again: %v", err)
		}
	}
	for {
		c, err := e.takes.next(e.conn.Context())
		if err != nil {
			break
		}
		take(c)
	}
	for _, c := range e.takes.rest() {
		take(c)
	}
}

// received checks a message, and clears its place.
func (e *programEnd) received(c rdma.Completion, draw *rand.Rand, late bool) {
	at := e.places.at + int(c.Cookie)*place
	got := e.places.bytes[at : at+place]
	n := 0
	if c.Status == rdma.StatusOK && c.Op != rdma.OpRecvWriteImm {
		n = c.Length
	}
	if c.Status == rdma.StatusOK {
		if more := foreign(got[n:], at+n); more >= 0 {
			e.failf("%v of %d bytes, shared: %v, changed byte %d of place %d: %x", c.Op, n, e.places.queue != nil, n+more, c.Cookie, got[n+more:min(place, n+more+64)])
		}
	}
	for i := range got {
		got[i] = pattern(at + i)
	}
	if late && draw.IntN(4) == 0 {
		<-time.After(time.Duration(draw.IntN(100)) * time.Millisecond)
	}
}

// foreign is the first byte that is not of the pattern, or -1.
func foreign(b []byte, at int) int {
	for i := range b {
		if b[i] != pattern(at+i) {
			return i
		}
	}
	return -1
}

// send does operations of all kinds, until one fails.
func (e *programEnd) send(draw *rand.Rand, most int) {
	ctx := e.p.w.Context()
	for range min(2+draw.IntN(12), most) {
		err := e.steps()[draw.IntN(len(e.steps()))](ctx, draw)
		switch {
		case err == nil:
			continue
		case e.p.fault.harmless:
			e.failf("%v, with %s", err, e.p.fault.name)
		case e.p.killed(): // its memory is gone, too
		case errors.Is(err, rdma.ErrResources) && e.p.refused():
		case !errors.Is(err, rdma.ErrBroken) && !errors.Is(err, rdma.ErrDisconnected) && !errors.Is(err, rdma.ErrWork) && !errors.Is(err, rdma.ErrClosed) && !errors.Is(err, rdma.ErrState):
			e.failf("an operation failed with %v", err)
		}
		return
	}
}

func (e *programEnd) failf(format string, args ...any) {
	e.p.t.Errorf("%s, connection %v: %s", e.host.h.Name(), e.conn, fmt.Sprintf(format, args...))
}

// free ends the loan at some moment. From then on nobody touches its memory.
func (e *programEnd) free() {
	<-time.After(e.p.moment())
	if err := e.loan.Free(); err != nil && !errors.Is(err, rdma.ErrClosed) {
		e.failf("free what the peer uses: %v", err)
	}
	e.freed = true
	copy(e.loanBytes, patterns(0, loanSize))
}

// finish ends the connection when both ends have sent everything.
func (l *programLink) finish() {
	l.sending.Wait()
	a := l.ends[l.number%2]
	if err := a.conn.Shutdown(l.p.w.Context()); err != nil && l.p.fault.harmless {
		a.failf("shutdown: %v", err)
	}
	for _, e := range l.ends {
		select {
		case <-e.conn.Context().Done():
		case <-l.p.w.Context().Done():
		}
		// An end that has shut down waits for the last bytes of its peer for two seconds.
		cause := context.Cause(e.conn.Context())
		if !errors.Is(cause, rdma.ErrDisconnected) && (l.p.fault.name == "nothing" || !errors.Is(cause, rdma.ErrBroken)) {
			e.failf("it ended with %v", cause)
		}
	}
}

// look checks the memory of connections that are over.
func (l *programLink) look() {
	for _, e := range l.ends {
		if at := foreign(e.loanBytes, 0); at >= 0 && e.freed {
			e.failf("byte %d of what was freed has changed", at)
		}
		b := e.bytes
		if at := foreign(b[constantAt:constantAt+part], constantAt); at >= 0 {
			e.failf("byte %d of what is only read has changed", at)
		}
		if at := foreign(b[outAt:outAt+part], outAt); at >= 0 {
			e.failf("byte %d of what is only sent has changed", at)
		}
		if at := foreign(b[placesAt:endSize], placesAt); at >= 0 && l.p.fault.harmless {
			e.failf("byte %d of the receives changed behind their completions", at)
		}
		if n := binary.NativeEndian.Uint64(b[targetAt+part-8:]); l.p.fault.harmless && n != e.peer.count {
			e.failf("it was counted to %d, and %d times", n, e.peer.count)
		}
	}
}
