package integration_test

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// call makes the waiting calls of a round, of which some are cancelled. Each has
// memory of its own, since it stays the adapter's where the call gave up.
func (r *driveRound) call(draw *rand.Rand) {
	counter := uint64(0) // at least
	for i := range r.plan.calls[r.side] {
		ctx, cancel := context.WithCancel(context.Background())
		if draw.IntN(2) == 0 {
			ctx, cancel = context.WithTimeout(context.Background(), moment(draw))
		}
		err := r.oneCall(ctx, draw, i, &counter)
		cancel()
		if err != nil && !errors.Is(err, rdma.ErrTimeout) && !errors.Is(err, rdma.ErrPrivileges) {
			r.wantEnd("call", err)
			return
		}
	}
}

func (r *driveRound) oneCall(ctx context.Context, draw *rand.Rand, i int, counter *uint64) error {
	at := i * smallSize
	n := headSize + draw.IntN(smallSize-headSize)
	mine := r.calls.region.Slice(at, n)
	there := r.peer.target.region.Remote().Slice(mostLanes*lanePlaces+1024, 8)
	switch draw.IntN(5) {
	case 0:
		if !r.calls.use(func(b []byte) {
			r.head(b[at:], r.number, callLane, i, n)
			copy(b[at+headSize:at+n], data(r.payload(r.number, callLane, i), 0, n-headSize))
		}) {
			return rdma.ErrClosed
		}
		err := r.conn.Send(ctx, mine)
		if err == nil {
			r.calls.use(func(b []byte) { copy(b[at:at+n], spent) })
		}
		return err
	case 1:
		if !r.calls.use(func(b []byte) { copy(b[at:at+n], data(r.constantData(), 0, n)) }) {
			return rdma.ErrClosed
		}
		_, err := r.conn.Write(ctx, mine, r.peer.target.region.Remote().Slice(mostLanes*lanePlaces+2048, n))
		if err == nil {
			r.calls.use(func(b []byte) { copy(b[at:at+n], spent) })
		}
		return err
	case 2:
		_, err := r.conn.Read(ctx, mine, r.peer.constant.region.Remote().Slice(0, n))
		if err == nil {
			r.calls.use(func(b []byte) {
				if w := wrong(b[at:at+n], data(r.peer.constantData(), 0, n)); w != "" {
					r.d.failf("link %d side %d: a waiting read: %s", r.link, r.side, w)
				}
				copy(b[at:at+n], spent)
			})
		}
		return err
	case 3:
		v, err := r.conn.FetchAdd(ctx, there, 1)
		if err == nil {
			if v < *counter {
				r.d.failf("link %d side %d: a waiting atomic fetched %d, the counter was %d before", r.link, r.side, v, *counter)
			}
			*counter = v + 1
		}
		return err
	}
	whole := r.peer.constant.region.Remote()
	b := make([]byte, 1+draw.IntN(constSize))
	_, err := r.conn.ReaderAt(ctx, whole).ReadAt(b, 0)
	if err == nil {
		if w := wrong(b, data(r.peer.constantData(), 0, len(b))); w != "" {
			r.d.failf("link %d side %d: a reader: %s", r.link, r.side, w)
		}
	}
	return err
}

// lend binds the first window, through which the peer reads from then on.
func (r *driveRound) lend() {
	ctx, cancel := shortly()
	defer cancel()
	there, err := r.conn.Bind(ctx, r.windows[0], r.lent.region.All(), mem.RemoteRead)
	if err != nil {
		r.wantEnd("bind", err)
		return
	}
	r.lentAt.Store(&there)
}
