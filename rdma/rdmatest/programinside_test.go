package rdmatest_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// endInside ends a connection while a half of one, on some goroutine, is in the middle of a step: it places a message, or
// is about to flush. The end comes from another goroutine, which uses its memory again as soon as it is flushed. Both
// ends of the connection read into memory of their own meanwhile. The step is of any connection, or of this one.
func (p *program) endInside() {
	l := p.links[p.draw.IntN(len(p.links))]
	i := p.draw.IntN(2)
	e := l.ends[i]
	e.trespassing = p.draw.IntN(2) == 0
	e.rereading = true
	left, closes, own, frees := 1+p.draw.IntN(30), p.draw.IntN(2) == 0, p.draw.IntN(2) == 0, p.draw.IntN(2) == 0
	if own {
		left, closes = 1+p.draw.IntN(3), false
	}
	var count atomic.Int64 // down to 0; halves run at the same time
	count.Store(int64(left))
	hook := func(q *core.QP, step string) {
		if own && (step != "place answer" || e.stopReread == nil || !rdmatest.IsOf(q, e.host.h, l.dialer())) {
			return
		}
		if count.Add(-1) != 0 {
			return
		}
		done := make(chan struct{})
		if closes { // Close waits for the half that is in the step
			go func() {
				close(done)
				_ = e.endpoint.Close()
			}()
			<-done
			return
		}
		go func() {
			defer close(done)
			_ = e.conn.Abort()
			e.reuse()
		}()
		<-done
		if own {
			q.StateMu.Lock()
			e.ended, e.endedOrderly = true, q.Kind == hca.EventDisconnected
			q.StateMu.Unlock()
			if frees { // so that the placing fails
				go func() { _ = e.again.Free() }()
				for range 10 {
					runtime.Gosched()
				}
			}
		}
	}
	core.StepHook.Store(&hook)
}

// dialer is the address of the end that has dialled.
func (l *programLink) dialer() string { return l.ends[0].conn.LocalAddr().String() }

// reuse fills the memory of a read that is flushed, if it is, in place of the goroutine that waits for it.
func (e *programEnd) reuse() {
	if e.stopReread == nil {
		return
	}
	c, err := e.endpoint.SendCompletions().Dequeue()
	if err != nil {
		return
	}
	defer e.stopReread()
	if c.Status == rdma.StatusOK {
		return
	}
	for i := range e.againBytes {
		e.againBytes[i] = pattern(i)
	}
	e.reused = true
}

// reread reads into memory that is used again when the read is flushed.
func (e *programEnd) reread(ctx context.Context, _ *rand.Rand) error {
	if !e.rereading {
		return nil
	}
	if e.again == nil {
		e.againBytes = make([]byte, part)
		region, err := e.host.zone.Register(e.againBytes, mem.All)
		if err != nil {
			return err
		}
		e.again = region
	}
	e.againCookie = e.next()
	if err := e.conn.PostRead(rdma.Read{Into: e.again.All(), From: e.peer.region.Slice(outAt, part).Remote(), Cookie: e.againCookie}); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	e.stopReread = stop
	err := e.take(ctx, e.againCookie)
	e.stopReread = nil
	if stop(); errors.Is(err, rdma.ErrCanceled) || errors.Is(err, context.Canceled) {
		return rdma.ErrBroken
	}
	return err
}
