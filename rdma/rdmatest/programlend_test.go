package rdmatest_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

const lendSize = 512

// lend binds a window behind a read that is under way, binds it anew, and takes everything back. A region cannot be freed
// while a window is bound to it, and can be afterwards; a bind that was flushed has bound nothing.
func (e *programEnd) lend(ctx context.Context, draw *rand.Rand) error {
	region, err := e.host.zone.Register(patterns(0, lendSize), mem.All)
	if err != nil {
		return e.unless(err)
	}
	defer region.Free()
	window, err := e.host.zone.NewWindow(mem.ZoneWindow)
	if err != nil {
		return e.unless(err)
	}
	defer window.Free()
	if err := e.bindBehind(ctx, draw, window, region); err != nil {
		return err
	}
	if draw.IntN(2) == 0 {
		if _, err := e.conn.Bind(ctx, window, region.Slice(0, 1+draw.IntN(lendSize)), mem.RemoteRead); err != nil {
			return err
		}
	}
	if err := region.Free(); !errors.Is(err, rdma.ErrInUse) && !errors.Is(err, rdma.ErrClosed) && !e.p.killed() {
		e.failf("memory with a window was freed: %v", err)
	}
	if draw.IntN(2) == 0 {
		if _, err := e.conn.Bind(ctx, window, mem.Slice{}, 0); err != nil {
			return err
		}
	} else if err := window.Free(); err != nil && !errors.Is(err, rdma.ErrClosed) {
		return fmt.Errorf("free a window: %w", err)
	}
	e.freeable("after its window", region)
	return nil
}

// bindBehind binds behind reads that nobody waits for.
func (e *programEnd) bindBehind(ctx context.Context, draw *rand.Rand, window *mem.Window, region *mem.Region) error {
	n := draw.IntN(part / 4)
	for range draw.IntN(3) {
		if err := e.conn.PostRead(rdma.Read{Into: e.region.Slice(intoAt, n), From: e.peer.region.Slice(constantAt, n).Remote(), Cookie: e.next()}); err != nil {
			return err
		}
	}
	bind := e.next()
	if _, err := e.conn.PostBind(rdma.Bind{Window: window, To: region.All(), Rights: mem.RemoteRead, Cookie: bind}); err != nil {
		return err
	}
	if err := e.conn.PostWrite(rdma.Write{To: e.target(0), Cookie: e.next()}); err != nil {
		e.cookie--
	}
	all, err := e.statuses(ctx, e.cookie)
	clear(e.bytes[intoAt : intoAt+part])
	if err != nil {
		return err
	}
	switch all[bind] {
	case rdma.StatusOK:
		return nil
	case rdma.StatusFlushed:
		if !e.p.fault.forges {
			e.freeable("behind a bind that was flushed", region)
		}
	}
	return rdma.ErrBroken
}

// freeable frees memory that has no window.
func (e *programEnd) freeable(when string, region *mem.Region) {
	if err := region.Free(); err != nil && !errors.Is(err, rdma.ErrClosed) {
		e.failf("free memory %s: %v", when, err)
	}
}

// giveBack invalidates the key of the peer's window. The connection goes on.
func (e *programEnd) giveBack(ctx context.Context, _ *rand.Rand) error {
	if e.revoking || e.trespassing || e.given {
		return nil
	}
	e.given = true
	if err := e.conn.PostSend(rdma.Send{Invalidate: e.lent.Key, Cookie: e.next()}); err != nil {
		return err
	}
	return e.take(ctx, e.cookie)
}
