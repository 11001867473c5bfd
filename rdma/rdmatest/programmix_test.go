package rdmatest_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// statuses takes completions up to that with the cookie last, and returns how each ended.
func (e *programEnd) statuses(ctx context.Context, last uint64) (map[uint64]rdma.Status, error) {
	all := map[uint64]rdma.Status{}
	for {
		c, err := e.sends.next(ctx)
		if err != nil {
			return all, err
		}
		if all[c.Cookie] = c.Status; c.Cookie == last {
			return all, nil
		}
	}
}

// mixPart is what a read of a mixture brings, and mostMixed how many operations there are.
const (
	mixPart   = 500
	mostMixed = 12
)

// mixture posts operations of all kinds, and waits for none of them. What its reads bring is checked at the end.
func (e *programEnd) mixture(ctx context.Context, draw *rand.Rand) error {
	type brought struct{ slot, from, n int }
	var reads []brought
	counted, n := -1, 2+draw.IntN(mostMixed-1)
	for i := range n {
		flags := rdma.Flags(0)
		if i < n-1 && draw.IntN(3) == 0 {
			flags |= rdma.NoCompletion
		}
		if draw.IntN(6) == 0 {
			flags |= rdma.Fence
		}
		var err error
		switch kind := draw.IntN(9); kind {
		case 0, 1: // these may be sent at once
			err = e.conn.PostSend(rdma.Send{From: e.piece(draw, outAt, 200), Cookie: e.next(), Flags: flags})
		case 2:
			err = e.conn.PostSend(rdma.Send{From: e.out(draw), Cookie: e.next(), Flags: flags})
		case 3, 4:
			out := e.piece(draw, outAt, part-8)
			err = e.conn.PostWrite(rdma.Write{From: out, To: e.target(out.Len()), Cookie: e.next(), Flags: flags})
		case 5:
			err = e.conn.PostWrite(rdma.Write{To: e.target(0), Immediate: draw.Uint32() &^ farewell, Cookie: e.next(), Flags: flags | rdma.WithImmediate})
		case 6:
			if counted >= 0 {
				continue
			}
			counted = i
			err = e.conn.PostFetchAdd(rdma.FetchAdd{Into: e.region.Slice(intoAt+part-8, 8), At: e.peer.region.Slice(targetAt+part-8, 8).Remote(), Add: 1, Cookie: e.next(), Flags: flags &^ rdma.NoCompletion})
			if err == nil {
				e.count++
			}
		default:
			r := brought{i, draw.IntN(part - mixPart), draw.IntN(mixPart)}
			reads = append(reads, r)
			err = e.conn.PostRead(rdma.Read{Into: e.region.Slice(intoAt+i*mixPart, r.n), From: e.peer.region.Slice(constantAt+r.from, r.n).Remote(), Cookie: e.next(), Flags: flags})
		}
		if err != nil {
			return err
		}
	}
	if err := e.conn.PostWrite(rdma.Write{To: e.target(0), Cookie: e.next()}); err != nil {
		return err
	}
	if err := e.take(ctx, e.cookie); err != nil {
		return err
	}
	for _, r := range reads {
		if at := foreign(e.bytes[intoAt+r.slot*mixPart:][:r.n], constantAt+r.from); at >= 0 {
			e.failf("a read in a mixture brought another byte %d of %d", at, r.n)
		}
	}
	clear(e.bytes[intoAt : intoAt+part])
	return nil
}

// readAndOverwrite reads what it overwrites at the same time.
func (e *programEnd) readAndOverwrite(ctx context.Context, draw *rand.Rand) error {
	if err := e.conn.PostRead(rdma.Read{Into: e.region.Slice(intoAt, part-8), From: e.target(part - 8), Cookie: e.next()}); err != nil {
		return err
	}
	for range 1 + draw.IntN(8) {
		out := e.piece(draw, outAt, part/4)
		if err := e.conn.PostWrite(rdma.Write{From: out, To: e.target(part).Slice(draw.IntN(part/2), out.Len()), Cookie: e.next()}); err != nil {
			return err
		}
	}
	err := e.take(ctx, e.cookie)
	clear(e.bytes[intoAt : intoAt+part])
	return err
}

// fill posts reads until the queue is full. None is answered over the network meanwhile, since the world takes no step.
func (e *programEnd) fill(ctx context.Context, _ *rand.Rand) error {
	depth, n := e.endpoint.Config().SendDepth, 0
	for ; n <= depth; n++ {
		err := e.conn.PostRead(rdma.Read{Into: e.region.Slice(intoAt, 1), From: e.peer.region.Slice(constantAt, 1).Remote(), Cookie: e.cookie + 1})
		if errors.Is(err, rdma.ErrQueueFull) {
			break
		} else if err != nil {
			return err
		}
		e.cookie++
	}
	err := e.take(ctx, e.cookie)
	if err == nil && n != depth && e.conn.Path() != "shm" { // there a read is done at once; of a connection that is over nothing is in flight
		e.failf("a queue of the depth %d has taken %d requests", depth, n)
	}
	clear(e.bytes[intoAt : intoAt+part])
	return err
}

// rest lets some time pass in which this end does nothing: longer than a message may wait.
func (e *programEnd) rest(ctx context.Context, draw *rand.Rand) error {
	if draw.IntN(3) > 0 {
		return nil
	}
	select {
	case <-time.After(receiveWait + time.Second):
	case <-ctx.Done():
	}
	return nil
}

// sendLong sends a message of several segments, of memory that the library has allocated.
func (e *programEnd) sendLong(ctx context.Context, draw *rand.Rand) error {
	if e.peer.places.size < longPlace {
		return nil
	}
	region, err := e.host.zone.Alloc(longPlace, mem.All)
	if err != nil {
		return e.unless(err)
	}
	defer region.Free()
	copy(region.Bytes(), patterns(0, longPlace))
	return e.conn.Send(ctx, region.Slice(0, longPlace/2+draw.IntN(longPlace/2)))
}

// unless is nil for an error that a call of the program was to have.
func (e *programEnd) unless(err error) error {
	if errors.Is(err, rdma.ErrResources) && e.p.refused() {
		return nil
	}
	return err
}
