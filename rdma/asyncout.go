package rdma

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/event"
)

// asyncDepth is the depth of the adapter's own dispatcher of asynchronous events. Routine
// events take at most asyncRoutine places, so that they do not displace errors.
const (
	asyncDepth   = 128
	asyncRoutine = 64
)

// asyncOut delivers asynchronous errors of an adapter to its dispatcher or to the program's
// sink.
type asyncOut struct {
	a    *Adapter
	sink *Sink[AsyncError]
	own  *event.Dispatcher[AsyncError] // nil with a sink of the program
	lost atomic.Uint64
}

func (o *asyncOut) init(a *Adapter, sink *Sink[AsyncError]) {
	o.a, o.sink = a, sink
	if sink == nil {
		o.own = event.New[AsyncError](event.Config{Name: "asynchronous errors", Depth: asyncDepth})
		o.sink = NewSink(o.own, func(to, from *AsyncError) { *to = *from })
	}
}

// fromHCA translates an event of the underlying adapter. Its objects are the objects that
// package rdma has created, or nil.
func (o *asyncOut) fromHCA(ev hca.AsyncEvent) {
	out := AsyncError{Err: ev.Err}
	switch obj := ev.Object.(type) {
	case *session:
		out.Endpoint = obj.ep
		out.Err = hca.Named(ev.Err, "", obj.object())
	case hca.CQ:
		if q := o.a.queue(obj); q != nil {
			out.CompletionQueue, out.Err = q, hca.Named(ev.Err, "", q.object())
		}
	case hca.SRQ:
		if q := o.a.shared(obj); q != nil {
			out.SharedReceive, out.Err = q, hca.Named(ev.Err, "", q.object())
		}
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

// tell delivers an event. If there is no room, it counts and logs the event: errors at level
// error, routine events below.
func (o *asyncOut) tell(ev AsyncError) {
	ev.Adapter = o.a
	if o.own != nil && ev.Kind.routine() && o.own.Len() >= asyncRoutine {
		o.lost.Add(1)
		o.a.log.Debug("rdma: nobody takes asynchronous events; one was dropped", "adapter", o.a.name, "kind", ev.Kind.String())
		return
	}
	err := o.sink.put(&ev)
	if err == nil {
		return
	}
	o.lost.Add(1)
	if ev.Err == nil {
		o.a.log.Warn("rdma: asynchronous event was lost", "adapter", o.a.name, "kind", ev.Kind.String(), "because", err)
	} else {
		o.a.log.Error("rdma: asynchronous error was lost", "adapter", o.a.name, "kind", ev.Kind.String(), "err", ev.Err, "because", err)
	}
}

func (o *asyncOut) close() {
	if o.own != nil {
		o.own.Close()
	}
}
