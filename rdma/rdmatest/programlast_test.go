package rdmatest_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// farewell is the bit of immediate data with which an end says that its peer may shut down.
const farewell = 1 << 31

// finish ends the connection when both ends have sent everything, but for what is to be done while it ends: an end that
// shuts down still answers what it has got, and what it has posted itself is still done.
func (l *programLink) finish() {
	l.sending.Wait()
	ctx := l.p.w.Context()
	a, b := l.ends[l.number%2], l.ends[1-l.number%2]
	if l.freeing {
		l.ends[1-l.number%2].useFreed(ctx)
	}
	var busy *programEnd
	switch l.last {
	case 1:
		if busy = b; b.askLast(rdma.Write{To: b.target(0), Immediate: farewell, Flags: rdma.WithImmediate}) {
			select {
			case <-a.asked:
			case <-a.conn.Context().Done():
			case <-ctx.Done():
			}
		}
	case 2:
		busy = a
		a.askLast(rdma.Write{From: a.region.Slice(outAt, part-8), To: a.target(part - 8)})
	}
	if err := a.conn.Shutdown(ctx); err != nil && l.p.fault.harmless {
		a.failf("shutdown: %v", err)
	}
	if busy != nil {
		busy.lastDone(ctx, busy == a)
	}
	for _, e := range l.ends {
		select {
		case <-e.conn.Context().Done():
		case <-ctx.Done():
		}
		// An end that has shut down waits for the last bytes of its peer for half a minute, longer than what is harmless.
		cause := context.Cause(e.conn.Context())
		if !isOrderly(cause) && (l.p.fault.harmless || !isBroken(cause)) {
			e.failf("it ended with %v", cause)
		}
	}
}

// lastReads is how many reads are under way while a connection ends.
const lastReads = 3

// Long reads at the end: the link holds more than an end answers in one run, and they bring more than that, so that the
// end comes between two runs.
const (
	longLast   = 4 << 20
	longReads  = 4
	longBuffer = 6 << 20
)

// prepare draws whether the connection ends under long reads.
func (l *programLink) prepare() {
	p := l.p
	if p.fault.name != "nothing" || l.number > 0 || p.draw.IntN(16) > 0 {
		return
	}
	l.last = 1
	p.w.Link(l.ends[0].host.h, l.ends[1].host.h).Buffer(longBuffer).Bandwidth(0)
	for _, e := range l.ends {
		var err error
		e.long, err = e.host.zone.Alloc(longLast, mem.All)
		must(p.t, err)
	}
	source := l.ends[0].long.Bytes()
	for i := range source {
		source[i] = pattern(i)
	}
}

// askLast posts reads, and a write behind them. It reports whether all of it is posted.
func (e *programEnd) askLast(last rdma.Write) bool {
	if e.long != nil {
		for range longReads {
			if e.conn.PostRead(rdma.Read{Into: e.long.All(), From: e.peer.long.All().Remote(), Cookie: e.cookie + 1}) != nil {
				return false
			}
			e.cookie++
			e.lastAsked++
		}
	}
	for range lastReads {
		if e.conn.PostRead(rdma.Read{Into: e.region.Slice(intoAt, part), From: e.peer.region.Slice(constantAt, part).Remote(), Cookie: e.cookie + 1}) != nil {
			return false
		}
		e.cookie++
		e.lastAsked++
	}
	last.Cookie = e.cookie + 1
	if e.conn.PostWrite(last) != nil {
		return false
	}
	e.cookie++
	e.lastAsked++
	return true
}

// lastDone takes the completions of askLast. The write of an end that does not shut down itself may be flushed.
func (e *programEnd) lastDone(ctx context.Context, down bool) {
	if e.lastAsked == 0 {
		return
	}
	all, err := e.statuses(ctx, e.cookie)
	if err == nil && !down {
		delete(all, e.cookie)
	}
	for cookie, status := range all {
		if status != rdma.StatusOK && err == nil {
			err = fmt.Errorf("request %d of %d: %v", cookie, e.cookie, status)
		}
	}
	if err != nil && e.p.fault.harmless {
		e.failf("while the connection ends: %v", err)
	}
	if e.long != nil && err == nil && !bytes.Equal(e.long.Bytes(), e.peer.long.Bytes()) {
		e.failf("a long read at the end brought other bytes")
	}
}

// giveUp connects another endpoint, with receives, to a listener that does not answer, and closes it meanwhile.
func (e *programEnd) giveUp(ctx context.Context, draw *rand.Rand) error {
	ln, err := e.peer.host.zone.Adapter().Listen(ctx, e.peer.host.h.Name()+":0", rdma.ListenConfig{})
	if err != nil {
		return e.unless(err)
	}
	defer ln.Close()
	endpoint, err := e.host.zone.Adapter().NewEndpoint(rdma.EndpointConfig{Zone: e.host.zone})
	if err != nil {
		return e.unless(err)
	}
	posted := 0
	for range 1 + draw.IntN(3) {
		if endpoint.PostRecv(rdma.Recv{Into: e.region.Slice(intoAt, 8)}) == nil {
			posted++
		}
	}
	done := make(chan error, 1)
	go func() {
		_, err := endpoint.Connect(ctx, ln.Addr().String(), rdma.ConnConfig{})
		done <- err
	}()
	<-time.After(time.Duration(draw.IntN(50)) * time.Millisecond)
	if draw.IntN(2) == 0 {
		_ = endpoint.Abort()
	}
	if err := endpoint.Close(); err != nil {
		return err
	}
	if err := <-done; err == nil {
		e.failf("a connection was made that nobody has accepted")
	}
	return nil
}

// useFreed uses what the peer has freed: nothing of it may happen.
func (e *programEnd) useFreed(ctx context.Context) {
	select {
	case <-e.peer.freed:
	case <-ctx.Done():
		return
	}
	if err := e.conn.PostWrite(rdma.Write{From: e.region.Slice(outAt, part), To: e.peer.loanAt.Slice(0, part), Cookie: e.next()}); err != nil {
		return
	}
	if err := e.conn.PostRead(rdma.Read{Into: e.region.Slice(intoAt, part), From: e.peer.loanAt.Slice(0, part), Cookie: e.next()}); err != nil {
		return
	}
	if e.take(ctx, e.cookie) == nil {
		e.failf("what is freed was read")
	}
}
