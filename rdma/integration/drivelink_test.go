package integration_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/rdma"
)

// runLink carries out the rounds of a link: connect, work, end, check, reset.
func (d *driver) runLink(pair [2]*driveEnd, draw *rand.Rand) {
	for number := range pair[0].plan.rounds {
		rounds := [2]*driveRound{pair[0].begin(number), pair[1].begin(number)}
		if rounds[0] == nil || rounds[1] == nil {
			return
		}
		for side, r := range rounds {
			if !r.inbox.shared {
				r.inbox.begin()
				if !r.byCalls {
					for range r.plan.preposted[side] {
						d.tolerate(r.inbox.post(r.endpoint.PostRecv), rdma.ErrQueueFull, rdma.ErrClosed)
					}
				}
			}
		}
		if !d.connect(rounds) {
			return
		}
		d.runRound(rounds, draw)
		if d.failed() {
			return
		}
		for _, r := range rounds {
			if r.closed.Load() || !d.tolerate(r.endpoint.Reset(), rdma.ErrClosed) {
				return
			}
		}
		for _, r := range rounds {
			r.look()
		}
	}
}

// tolerate accepts the errors that may occur, and reports whether there was none.
func (d *driver) tolerate(err error, codes ...rdma.Code) bool {
	if err != nil && !slices.ContainsFunc(codes, func(c rdma.Code) bool { return errors.Is(err, c) }) {
		d.failf("%v", err)
	}
	return err == nil
}

// connect connects the two sides. It gives false if one of the adapters has been
// closed.
func (d *driver) connect(rounds [2]*driveRound) bool {
	ctx, cancel := shortly()
	defer cancel()
	active, passive := rounds[0], rounds[1]
	if rounds[0].number%2 == 1 {
		active, passive = passive, active
	}
	ln, err := passive.host.adapter.Listen(ctx, d.address(active.link), rdma.ListenConfig{})
	if err != nil {
		if !d.anyClosed() {
			d.failf("listen: %v", err)
		}
		return false
	}
	defer ln.Close()
	accepted := make(chan error, 1)
	giveUp, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		var err error
		select {
		case r, ok := <-ln.Requests():
			if !ok {
				accepted <- rdma.ErrClosed
				return
			}
			passive.conn, err = r.AcceptOn(giveUp, passive.endpoint, rdma.ConnConfig{})
		case <-giveUp.Done():
			err = giveUp.Err()
		}
		accepted <- err
	}()
	active.conn, err = active.endpoint.Connect(ctx, ln.Addr().String(), rdma.ConnConfig{})
	if err != nil {
		stop()
	}
	acceptErr := <-accepted
	if (err != nil || acceptErr != nil) && !d.anyClosed() {
		d.failf("connect: %v; accept: %v", err, acceptErr)
	}
	return err == nil && acceptErr == nil
}

func (d *driver) anyClosed() bool { return d.hosts[0].closed.Load() || d.hosts[1].closed.Load() }

// runRound lets both sides work, has the end happen at its moment, and closes the
// books.
func (d *driver) runRound(rounds [2]*driveRound, draw *rand.Rand) {
	plan := rounds[0].plan
	end := &driveEnds[plan.end]
	x := rounds[plan.endSide]
	var count atomic.Int64
	moment, reached := context.WithCancel(context.Background())
	progress := func(n int) {
		if count.Add(int64(n)) > int64(plan.endAfter) {
			reached()
		}
	}
	var posting, receiving, ending sync.WaitGroup
	for _, r := range rounds {
		calls, receives := branch(draw), branch(draw)
		switch {
		case r.byCalls:
			receiving.Go(func() { r.receiveByCalls(receives) })
		case !r.inbox.shared:
			receiving.Go(func() {
				r.inbox.keep(r.conn.Context().Done(), r.endpoint.PostRecv, func() { r.endpoint.Abort() })
			})
		}
		posting.Go(r.lend)
		posting.Go(r.useStale)
		for _, l := range r.lanes {
			posting.Go(func() { l.work(progress) })
		}
		posting.Go(func() { r.call(calls) })
	}
	ending.Go(func() {
		select {
		case <-moment.Done():
		case <-x.conn.Context().Done():
		}
		if end.do != nil {
			end.do(x)
		}
	})
	posting.Wait()
	reached()
	ending.Wait()
	orderly := end.orderly && (x.conn.Context().Err() == nil || end.name == "graceful disconnect")
	ctx, cancel := shortly()
	defer cancel()
	if x.endpoint.State() == rdma.StateConnected {
		if err := x.conn.Shutdown(ctx); err != nil && orderly && !d.anyClosed() {
			orderly = false // the peer was faster, or broke
		}
	}
	for _, r := range rounds {
		select {
		case <-r.conn.Context().Done():
		case <-ctx.Done():
			d.failf("link %d side %d round %d: the connection did not end, it is %v", r.link, r.side, r.number, r.endpoint.State())
			return
		}
		if cause := context.Cause(r.conn.Context()); !errors.Is(cause, rdma.ErrDisconnected) && !errors.Is(cause, rdma.ErrBroken) {
			d.failf("link %d side %d round %d: it ended with %v", r.link, r.side, r.number, cause)
		}
	}
	receiving.Wait()
	x.orderly = orderly && !d.anyClosed()
	d.mu.Lock()
	d.ended[end.name]++
	d.mu.Unlock()
	for _, r := range rounds {
		r.closeBooks()
	}
}

// closeBooks waits until all completions of a round are taken, and checks the books.
func (r *driveRound) closeBooks() {
	r.host.allTaken() // the late posts use the same places
	if !r.closed.Load() {
		r.lanes[0].postLate()
	}
	r.host.allTaken()
	for _, l := range r.lanes {
		if !r.host.closed.Load() {
			r.d.eventually("completions of flushed posts come", func() bool { return !l.missing() })
		}
		l.close()
	}
	if !r.inbox.shared && !r.byCalls && !r.host.closed.Load() {
		r.d.eventually("completions of all receives come", func() bool { return r.inbox.posted() == 0 })
	}
	r.checkMessages()
	r.d.mu.Lock()
	defer r.d.mu.Unlock()
	for _, l := range r.lanes {
		for i := range l.entries {
			if e := &l.entries[i]; e.state == entryPosted || e.state == entryCompleted {
				r.d.posts++
				if e.done && !e.ok {
					r.d.failures++
				}
			}
		}
	}
}

// checkMessages compares the messages that this side sent with those that the peer received.
func (r *driveRound) checkMessages() {
	y := r.peer.current()
	if y.number != r.number || r.peer.host.closed.Load() || y.inbox.field.isGone() {
		return
	}
	arrived := func(lane int) []int {
		r.d.booksMu.Lock()
		defer r.d.booksMu.Unlock()
		return slices.Clone(y.arrived[lane])
	}
	for i, l := range r.lanes {
		sent, confirmed := l.messages()
		due := 0
		if r.orderly || r.conn.Acked() && !y.byCalls {
			due = confirmed
		}
		if !y.byCalls {
			r.d.eventually("messages that were delivered are taken", func() bool { return len(arrived(i)) >= due })
		}
		if got := arrived(i); len(got) > len(sent) || !slices.Equal(got, sent[:len(got)]) || !y.byCalls && len(got) < due {
			r.d.failf("link %d side %d round %d lane %d: messages %v were sent, %d had to arrive, and %v came", r.link, r.side, r.number, i, sent, due, got)
		}
	}
}

// look checks the memory of a round that is over: the adapter does not access it any more.
func (r *driveRound) look() {
	for _, l := range r.lanes {
		l.checkWritten()
	}
	if !r.inbox.shared && !r.byCalls {
		for place := range recvPlaces {
			r.inbox.resting(place)
		}
	}
}
