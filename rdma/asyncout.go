package rdma

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/event"
)

// asyncDepth is how many asynchronous errors wait in the adapter's own
// dispatcher.
const asyncDepth = 64

// asyncOut takes asynchronous errors of an adapter to where the program wants
// them.
type asyncOut struct {
	a    *Adapter
	sink *AsyncSink
	own  *event.Dispatcher[AsyncError] // nil with a sink of the program
}

func (o *asyncOut) init(a *Adapter, sink *AsyncSink) {
	o.a, o.sink = a, sink
	if sink == nil {
		o.own = event.New[AsyncError](event.Config{Name: "asynchronous errors", Depth: asyncDepth})
		o.sink = NewAsyncSink(o.own, func(to, from *AsyncError) { *to = *from })
	}
}

// fromHCA translates what the adapter below says. Objects of it are those that
// rdma has made, or nil.
func (o *asyncOut) fromHCA(ev hca.AsyncEvent) {
	out := AsyncError{Err: ev.Err}
	switch obj := ev.Object.(type) {
	case *link:
		out.Endpoint = obj.ep
	case hca.CQ:
		out.CompletionQueue = o.a.queue(obj)
	case hca.SRQ:
		out.SharedReceive = o.a.shared(obj)
	}
	switch ev.Kind {
	case hca.AsyncAdapterFailed:
		out.Kind = AsyncAdapterFailed
	case hca.AsyncCQOverflow:
		out.Kind = AsyncOverflow
	case hca.AsyncQPBroken:
		out.Kind = AsyncEndpointBroken
	case hca.AsyncSRQFailed:
		out.Kind = AsyncSharedReceiveFailed
	case hca.AsyncPortDown:
		out.Kind = AsyncPortDown
	case hca.AsyncPortUp:
		out.Kind = AsyncPortUp
	case hca.AsyncCaptureEnded:
		out.Kind = AsyncCaptureEnded
	}
	o.tell(out)
}

func (o *asyncOut) tell(ev AsyncError) {
	ev.Adapter = o.a
	if err := o.sink.put(&ev); err != nil {
		o.a.log.Error("rdma: asynchronous error was lost", "adapter", o.a.name, "kind", ev.Kind.String(), "err", ev.Err, "because", err)
	}
}

func (o *asyncOut) close() {
	if o.own != nil {
		o.own.Close()
	}
}
