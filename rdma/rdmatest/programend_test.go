package rdmatest_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// programLink is a connection of a program.
type programLink struct {
	p       *program
	number  int
	ends    [2]*programEnd
	sending sync.WaitGroup
	last    int  // how it ends: see finish
	freeing bool // one end frees its loan while the other uses it
}

// programEnd is one end of it. Its memory:
//
//	constant  the peer reads it, and it never changes
//	target    the peer writes into it, and counts in its last 8 bytes
//	out       what this end sends and writes
//	into      where this end reads
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
	freed     chan struct{} // closed when the loan is freed
	// Two of this end's requests are of no right.
	trespassing bool
	withdrawing bool          // ... and it takes memory away from its own
	given       bool          // the peer's window is given back
	asked       chan struct{} // has something when a farewell has come
	lastAsked   int           // requests that are under way while the connection ends
	// Memory that is used again as soon as a read is flushed: see endInside.
	rereading, reused bool
	again             *mem.Region
	againBytes        []byte
	stopReread        func() // while a read into it is waited for
	againCookie       uint64
	// It was ended by its program, inside a step, or by something before that: see endInside.
	ended, endedOrderly bool
	early               earlyPost   // see programearly_test.go
	long                *mem.Region // nil: no long reads at the end
	count               uint64
	cookie              uint64
}

const (
	part = 8192

	constantAt = 0
	targetAt   = part
	outAt      = 2 * part
	intoAt     = 3 * part
	endSize    = 4 * part

	loanSize = 60_000

	// receiveWait is longer than a message waits for a receive if nothing is wrong: another one may have taken the only
	// receive of a shared queue, and its end may be behind a partition.
	receiveWait = 12 * time.Second
)

// pattern is the value of a byte that nobody writes.
func pattern(at int) byte { return byte(at*7 + at>>8*13 + 3) }

func (p *program) connect(number int, x, y *programHost) *programLink {
	l := &programLink{p: p, number: number, last: p.draw.IntN(3)}
	for i, h := range []*programHost{x, y} {
		e := &programEnd{p: p, host: h, bytes: make([]byte, endSize), asked: make(chan struct{}, 1), freed: make(chan struct{})}
		var err error
		e.region, err = h.zone.Register(e.bytes, mem.All)
		must(p.t, err)
		for at := range e.bytes {
			e.bytes[at] = pattern(at)
		}
		clear(e.bytes[targetAt+part-8 : targetAt+part])
		cfg := rdma.EndpointConfig{Zone: h.zone}
		if h.shared != nil && (p.draw.IntN(2) == 0 || p.sharing()) {
			e.places = h.shared
			cfg.SharedReceives = h.shared.queue
		} else {
			e.places, err = newPlaces(p.draw, h.zone)
			must(p.t, err)
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
		for i := 0; i < e.places.n && e.places.queue == nil; i++ {
			must(p.t, e.endpoint.PostRecv(e.places.recv(uint64(i))))
		}
		l.ends[i] = e
	}
	a, b := l.ends[0], l.ends[1]
	a.peer, b.peer = b, a
	l.prepare()
	defer core.StepHook.Store(core.StepHook.Load())
	core.StepHook.Store(l.early())
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
		e.earlyDone(ctx)
	}
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
	for left := e.places.n; left > 0; {
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
		e.p.leave(e)
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
	at := int(c.Cookie) * e.places.size
	got := e.places.bytes[at : at+e.places.size]
	n := 0
	if c.Status == rdma.StatusOK && c.Op != rdma.OpRecvWriteImm {
		n = c.Length
	}
	if c.Status == rdma.StatusOK {
		if more := foreign(got[n:], at+n); more >= 0 {
			e.failf("%v of %d bytes, shared: %v, changed byte %d of place %d: %x", c.Op, n, e.places.queue != nil, n+more, c.Cookie, got[n+more:min(len(got), n+more+64)])
		}
	}
	if c.Status == rdma.StatusOK && c.Op == rdma.OpRecvWriteImm && c.Immediate&farewell != 0 {
		e.asked <- struct{}{}
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
	copy(e.loanBytes, patterns(0, loanSize))
	close(e.freed)
}

func isOrderly(cause error) bool { return errors.Is(cause, rdma.ErrDisconnected) }
func isBroken(cause error) bool  { return errors.Is(cause, rdma.ErrBroken) }

// look checks the memory of connections that are over.
func (l *programLink) look() {
	for _, e := range l.ends {
		select {
		case <-e.freed:
			if at := foreign(e.loanBytes, 0); at >= 0 {
				e.failf("byte %d of what was freed has changed", at)
			}
		default:
		}
		// A receive that is posted is found at once. What shares a queue waits for others, too.
		if s := e.conn.Stats(); e.places.queue == nil && l.p.fault.harmless && s.ReceiveWait > time.Duration(s.ReceiveWaits)*receiveWait/2 {
			e.failf("%d messages have waited for receives for %v", s.ReceiveWaits, s.ReceiveWait)
		}
		if cause := context.Cause(e.conn.Context()); e.ended && isOrderly(cause) != e.endedOrderly {
			e.failf("it was ended in order: %v, and its end is %v", e.endedOrderly, cause)
		}
		if at := foreign(e.againBytes, 0); e.reused && at >= 0 {
			e.failf("byte %d of a read that was flushed has changed", at)
		}
		b := e.bytes
		if at := foreign(b[constantAt:constantAt+part], constantAt); at >= 0 {
			e.failf("byte %d of what is only read has changed", at)
		}
		if at := foreign(b[outAt:outAt+part], outAt); at >= 0 {
			e.failf("byte %d of what is only sent has changed", at)
		}
		if at := foreign(e.places.bytes, 0); at >= 0 && l.p.fault.harmless {
			e.failf("byte %d of the receives changed behind their completions", at)
		}
		if n := binary.NativeEndian.Uint64(b[targetAt+part-8:]); l.p.fault.harmless && n != e.peer.count {
			e.failf("it was counted to %d, and %d times", n, e.peer.count)
		}
	}
}
