package rdmatest_test

import (
	"context"
	"math/rand/v2"
	"strings"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// withdraw takes memory away from operations of its own that are under way. That ends the connection, or does not: the
// peer must see whole frames in any case.
func (e *programEnd) withdraw(ctx context.Context, draw *rand.Rand) error {
	if !e.withdrawing {
		return nil
	}
	return []func(context.Context, *rand.Rand) error{e.freeWhatIsSent, e.abandon, e.twoCauses, e.refusedRead}[draw.IntN(4)](ctx, draw)
}

// sendOwn posts writes of memory that the library has allocated, to what the peer lends.
func (e *programEnd) sendOwn(draw *rand.Rand) (region *mem.Region, err error) {
	if region, err = e.host.zone.Alloc(loanSize, mem.All); err != nil {
		return nil, err
	}
	for range 1 + draw.IntN(2) {
		if err := e.conn.PostWrite(rdma.Write{From: region.Slice(0, loanSize), To: e.peer.loanAt, Cookie: e.next()}); err != nil {
			_ = region.Free()
			return nil, err
		}
	}
	return region, nil
}

// freeWhatIsSent frees memory of operations, which is another region's, too: that is used at once.
func (e *programEnd) freeWhatIsSent(ctx context.Context, draw *rand.Rand) error {
	region, err := e.sendOwn(draw)
	if err != nil {
		return err
	}
	again, err := e.host.zone.RegisterAgain(region, mem.All)
	if err != nil {
		_ = region.Free()
		return err
	}
	defer again.Free()
	e.pause(draw)
	if err := region.Free(); err != nil {
		return err
	}
	for i := range again.Bytes() {
		again.Bytes()[i] = 0xaa
	}
	return e.take(ctx, e.cookie)
}

// abandon ends the connection inside a message, and uses the memory when its operations are flushed.
func (e *programEnd) abandon(ctx context.Context, draw *rand.Rand) error {
	region, err := e.sendOwn(draw)
	if err != nil {
		return err
	}
	defer region.Free()
	e.pause(draw)
	if err := e.conn.Abort(); err != nil {
		return err
	}
	err = e.take(ctx, e.cookie)
	for i := range region.Bytes() {
		region.Bytes()[i] = 0xaa
	}
	if err == nil { // all of it had been sent
		err = rdma.ErrBroken
	}
	return err
}

// twoCauses has a read that cannot be placed, and a bind that cannot be carried out, which is behind it. One of them ends
// the connection, and no other does.
func (e *programEnd) twoCauses(ctx context.Context, draw *rand.Rand) error {
	into, err := e.host.zone.Register(make([]byte, lendSize), mem.All)
	if err != nil {
		return err
	}
	defer into.Free()
	region, err := e.host.zone.Register(make([]byte, lendSize), mem.All)
	if err != nil {
		return err
	}
	defer region.Free()
	window, err := e.host.zone.NewWindow(mem.ZoneWindow)
	if err != nil {
		return err
	}
	first := e.cookie + 1
	own, err := e.sendOwn(draw)
	if err != nil {
		return err
	}
	defer own.Free()
	sent := e.cookie
	if err := e.conn.PostRead(rdma.Read{Into: into.All(), From: e.peer.region.Slice(constantAt, lendSize).Remote(), Cookie: e.next()}); err != nil {
		return err
	}
	if _, err := e.conn.PostBind(rdma.Bind{Window: window, To: region.All(), Rights: mem.RemoteRead, Cookie: e.next()}); err != nil {
		return err
	}
	if err := window.Free(); err != nil {
		return err
	}
	if all, err := e.statuses(ctx, sent); err != nil {
		return err
	} else if all[sent] != rdma.StatusOK {
		return rdma.ErrBroken
	}
	if draw.IntN(2) == 0 {
		err = into.Modify(mem.LocalRead)
	} else {
		err = into.Free()
	}
	if err != nil {
		return err
	}
	return e.oneCause(ctx, first)
}

// refusedRead has a read to which the peer has no right, and others around it.
func (e *programEnd) refusedRead(ctx context.Context, draw *rand.Rand) error {
	first, bad := e.cookie+1, draw.IntN(3)
	for i := range 3 {
		from := e.peer.region.Slice(constantAt, 100).Remote()
		if i == bad {
			from.Addr += endSize
		}
		if err := e.conn.PostRead(rdma.Read{Into: e.region.Slice(intoAt+i*100, 100), From: from, Cookie: e.next()}); err != nil {
			return rdma.ErrBroken
		}
	}
	return e.oneCause(ctx, first)
}

// oneCause takes the completions of all that is posted. If one of them has failed, so has exactly one by itself: nothing
// else ends the connection.
func (e *programEnd) oneCause(ctx context.Context, first uint64) error {
	failed, causes := 0, 0
	all, err := e.statuses(ctx, e.cookie)
	if err != nil {
		return err
	}
	for _, status := range all {
		if status != rdma.StatusOK {
			failed++
		}
		if status != rdma.StatusOK && status != rdma.StatusFlushed {
			causes++
		}
	}
	clear(e.bytes[intoAt : intoAt+part])
	if failed == 0 {
		return nil
	}
	<-e.conn.Context().Done()
	if cause := context.Cause(e.conn.Context()); causes == 0 && strings.Contains(cause.Error(), "the stream was lost") {
		return rdma.ErrBroken // the peer waits for two seconds until its refusal has left
	}
	if causes != 1 {
		e.failf("of the requests from %d on, %d have failed, %d of them by themselves: %v", first, failed, causes, context.Cause(e.conn.Context()))
	}
	return rdma.ErrBroken
}

// pause lets the world take some steps, or none.
func (e *programEnd) pause(draw *rand.Rand) {
	if draw.IntN(2) == 0 {
		e.p.w.Settle()
	}
}
