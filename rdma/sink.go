package rdma

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/event"
)

// ConnSink directs connection events of endpoints to a dispatcher of any type
// (uDAPL: the connection stream of an EVD). Several endpoints may share one.
// An event that finds the dispatcher full is lost, and reported as
// AsyncOverflow.
type ConnSink struct {
	place        any // the dispatcher
	put, putLast func(*ConnEvent) error
	// into makes an event in a *T.
	into func(to any, ev *ConnEvent)
}

// NewConnSink makes a sink: put makes an event of type T of a connection event,
// in place. It must not keep the *ConnEvent and must not block. The dispatcher
// stays the program's.
func NewConnSink[T any](d *event.Dispatcher[T], put func(*T, *ConnEvent)) *ConnSink {
	mustHave("NewConnSink", d != nil && put != nil)
	offer := func(ev *ConnEvent, offer func(*T, bool) bool) error {
		var t T
		put(&t, ev)
		if !offer(&t, false) {
			return lostEvent(d.Name(), "connection event "+ev.Kind.String())
		}
		return nil
	}
	return &ConnSink{place: d,
		put:     func(ev *ConnEvent) error { return offer(ev, d.Put) },
		putLast: func(ev *ConnEvent) error { return offer(ev, d.PutAfterSources) },
		into:    func(to any, ev *ConnEvent) { put(to.(*T), ev) },
	}
}

// RequestSink directs connection requests of listeners to a dispatcher of any
// type (uDAPL: the CR stream of an EVD). The room in the dispatcher is the
// backlog: requests beyond it are refused.
type RequestSink struct {
	put func(*ConnRequest) error
}

// NewRequestSink makes a sink: put makes an event of type T of a request, in
// place. It must not block. The dispatcher stays the program's.
func NewRequestSink[T any](d *event.Dispatcher[T], put func(*T, *ConnRequest)) *RequestSink {
	mustHave("NewRequestSink", d != nil && put != nil)
	return &RequestSink{put: func(r *ConnRequest) error {
		var t T
		put(&t, r)
		return d.Post(t)
	}}
}

// HandleRequests makes a sink that calls handle for every request, which is then
// the handler's to answer. Returning false refuses it as if nobody listened. It
// must not block, nor close the listener.
func HandleRequests(handle func(*ConnRequest) bool) *RequestSink {
	mustHave("HandleRequests", handle != nil)
	return &RequestSink{put: func(r *ConnRequest) error {
		if !handle(r) {
			return hca.NewError(hca.Refused, "take", "request", "the program's handler refused it")
		}
		return nil
	}}
}

// AsyncSink directs asynchronous errors of adapters to a dispatcher of any type
// (uDAPL: the ASYNC stream of an EVD). One that finds it full is lost, and
// logged.
type AsyncSink struct {
	put func(*AsyncError) error
}

// NewAsyncSink makes a sink: put makes an event of type T of an asynchronous
// error, in place. It must not keep the *AsyncError and must not block. The
// dispatcher stays the program's.
func NewAsyncSink[T any](d *event.Dispatcher[T], put func(*T, *AsyncError)) *AsyncSink {
	mustHave("NewAsyncSink", d != nil && put != nil)
	return &AsyncSink{put: func(ev *AsyncError) error {
		var t T
		put(&t, ev)
		if !d.Put(&t, false) {
			return lostEvent(d.Name(), "asynchronous error "+ev.Kind.String())
		}
		return nil
	}}
}

// HandleAsync makes a sink that calls handle for every asynchronous error. It must
// not keep the *AsyncError and must not block.
func HandleAsync(handle func(*AsyncError)) *AsyncSink {
	mustHave("HandleAsync", handle != nil)
	return &AsyncSink{put: func(ev *AsyncError) error { handle(ev); return nil }}
}

// mustHave panics at a call that got nil and has no error to return.
func mustHave(call string, all bool) {
	if !all {
		panic("rdma: " + call + ": an argument is nil")
	}
}

func lostEvent(dispatcher, what string) error {
	return hca.NewError(hca.Overflow, "queue", what, "dispatcher "+dispatcher+" is full or closed; make it deeper or take events sooner")
}
