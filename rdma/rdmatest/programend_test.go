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
	bytes    []byte // of region: they outlive it
	window   *mem.Window
	lent     mem.Remote // what the peer lends through its window
	peer     *programEnd
	revoking bool // the window of this end is revoked while the peer reads
	count    uint64
	cookie   uint64
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
		e.endpoint, err = h.zone.Adapter().NewEndpoint(rdma.EndpointConfig{Zone: h.zone})
		must(p.t, err)
		for i := range uint64(places) {
			must(p.t, e.endpoint.PostRecv(rdma.Recv{Into: e.slot(i), Cookie: i}))
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

func (e *programEnd) slot(i uint64) mem.Slice { return e.region.Slice(placesAt+int(i)*place, place) }

// receive takes messages, checks them, and posts their receives again, until all are flushed. With late, it is
// sometimes late.
func (e *programEnd) receive(late bool) {
	draw := e.p.w.Rand("late")
	for left := places; left > 0; {
		c, _, err := e.endpoint.RecvCompletions().Wait(e.p.w.Context(), 1)
		if err != nil {
			if !errors.Is(err, rdma.ErrClosed) { // the adapter was killed
				e.failf("%d receives are left: %v", left, err)
			}
			return
		}
		at := placesAt + int(c.Cookie)*place
		got := e.bytes[at : at+place]
		n := 0
		if c.Status == rdma.StatusOK && c.Op != rdma.OpRecvWriteImm {
			n = c.Length
		}
		if c.Status == rdma.StatusOK {
			if more := foreign(got[n:], at+n); more >= 0 {
				e.failf("a receive of %d bytes changed byte %d", n, n+more)
			}
		}
		for i := range got {
			got[i] = pattern(at + i)
		}
		if late && draw.IntN(4) == 0 {
			<-time.After(time.Duration(draw.IntN(100)) * time.Millisecond)
		}
		if c.Status != rdma.StatusOK || e.endpoint.PostRecv(rdma.Recv{Into: e.slot(c.Cookie), Cookie: c.Cookie}) != nil {
			left--
		}
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
		case !errors.Is(err, rdma.ErrBroken) && !errors.Is(err, rdma.ErrDisconnected) && !errors.Is(err, rdma.ErrWork) && !errors.Is(err, rdma.ErrClosed) && !errors.Is(err, rdma.ErrState):
			e.failf("an operation failed with %v", err)
		}
		return
	}
}

func (e *programEnd) failf(format string, args ...any) {
	e.p.t.Errorf("%s, connection %v: %s", e.host.h.Name(), e.conn, fmt.Sprintf(format, args...))
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
