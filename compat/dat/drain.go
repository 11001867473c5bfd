package dat

import (
	"context"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// drain takes completions that no dispatcher of the program is interested in.
type drain struct {
	d      *event.Dispatcher[record]
	q      *rdma.CompletionQueue
	cancel context.CancelFunc
	done   chan struct{}
}

const drainDepth = 1 << 14

// nowhere is the queue of endpoints without a dispatcher. It is made when it is first
// needed.
func (a *ia) nowhere() *rdma.CompletionQueue {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.drain != nil || a.closed {
		if a.drain == nil {
			return nil
		}
		return a.drain.q
	}
	dr := &drain{d: event.New[record](event.Config{Name: "nowhere", Depth: drainDepth}), done: make(chan struct{})}
	q, err := a.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: drainDepth, Sink: rdma.NewSink(dr.d, a.unheard)})
	if err != nil {
		return nil
	}
	dr.q = q
	ctx, cancel := context.WithCancel(context.Background())
	dr.cancel = cancel
	go dr.run(ctx)
	a.drain = dr
	return q
}

// unheard does what a completion without a dispatcher entails: its cookie place is freed, a bind has ended, and
// the window that it reports to be revoked is unbound.
func (a *ia) unheard(_ *record, c *rdma.Completion) {
	if c.Op == rdma.OpRecvInvalidate {
		a.revoked(RMRContext(c.Invalidated))
	}
	if !placed(c.Cookie) {
		return
	}
	if b, ok := a.cookies.take(c.Cookie).AsPtr.(*binding); ok {
		b.completed(c.Status == rdma.StatusOK)
	}
}

func (dr *drain) run(ctx context.Context) {
	defer close(dr.done)
	var buf [64]record
	for _, err := range dr.d.Drain(ctx, buf[:]) {
		if err != nil {
			return
		}
	}
}

func (dr *drain) stop() {
	dr.cancel()
	<-dr.done
	dr.d.Close()
}
