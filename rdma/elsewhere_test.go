package rdma_test

import (
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// Where events go to a sink of the program, nobody waits for ever in the other place:
// channels and dispatchers there are closed.
func TestEventsThatGoElsewhereAreNotWaitedFor(t *testing.T) {
	x := newSide(t, "soft-loop")
	d := event.New[any](event.Config{})
	q, err := x.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 64, Sink: rdma.NewSink(d, func(*any, *rdma.Completion) {})})
	must(t, err)
	ln, err := x.adapter.Listen(within(t), "127.0.0.1:0", rdma.ListenConfig{Sink: rdma.NewSink(d, func(*any, *rdma.ConnRequest) {})})
	must(t, err)
	e := newEndpoint(t, x, rdma.EndpointConfig{Zone: x.zone, SendCQ: q, RecvCQ: q, ConnEvents: rdma.NewSink(d, func(*any, *rdma.ConnEvent) {})})
	if r, ok := <-ln.Requests(); ok || r != nil {
		t.Errorf("a request of a listener with a sink: %v", r)
	}
	for name, c := range map[string]*event.Dispatcher[rdma.Completion]{
		"SendCompletions": e.SendCompletions(), "RecvCompletions": e.RecvCompletions(), "Dispatcher": q.Dispatcher(),
	} {
		_, _, err := c.WaitTimeout(event.Forever, 1)
		wantCode(t, err, rdma.ErrClosed, name)
		if _, ok := <-c.C(); ok {
			t.Errorf("%s: a completion", name)
		}
	}
	_, _, err = e.ConnEvents().Wait(within(t), 1)
	wantCode(t, err, rdma.ErrClosed, "ConnEvents")
	must(t, ln.Close())
	must(t, ln.Close())
}
