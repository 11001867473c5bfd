package rdma

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/event"
)

// Event is the set of the library's event types that a [Sink] can take.
type Event interface {
	Completion | ConnEvent | ConnRequest | AsyncError
}

// Sink directs events of the library to a dispatcher of the program, of any type (uDAPL: a
// stream of an EVD), or to a function. One dispatcher can thus take completions
// ([CompletionQueueConfig]), connection events ([EndpointConfig]), connection requests
// ([ListenConfig]) and asynchronous errors ([OpenConfig]), in the order that the package
// comment promises. A sink may be used several times. The program owns the dispatcher.
//
// An event that finds the dispatcher full is handled by its type. A connection request is
// refused: the free places of the dispatcher are the backlog. A connection event is lost and
// reported as [AsyncOverflow]. An asynchronous error is lost, logged, and counted by
// [Adapter.AsyncLost]. Completions wait in their queue.
type Sink[E Event] struct {
	place        any // the dispatcher; nil with a function
	put, putLast func(*E) error
	// into stores an event in a *T.
	into func(to any, ev *E)
	// connect attaches the dispatcher to a completion queue; nil if this is not a sink of
	// completions, or has a function.
	connect func(q *CompletionQueue, depth int) error
}

// NewSink creates a sink: put converts an event of the library to the program's type T, in
// place. put must not keep the *E (except a *[ConnRequest], which is an object) and must not
// block. For completions, put runs on the goroutine that drains the dispatcher, during that
// drain: it may poll the dispatcher, which returns only queued events, but a call that waits
// on the same dispatcher deadlocks. A nil argument panics.
func NewSink[E Event, T any](d *event.Dispatcher[T], put func(*T, *E)) *Sink[E] {
	mustHave("NewSink", d != nil && put != nil)
	offer := func(ev *E, offer func(*T, bool) bool) error {
		var t T
		put(&t, ev)
		if !offer(&t, false) {
			return lostEvent(d.Name(), describe(any(ev)))
		}
		return nil
	}
	s := &Sink[E]{place: d,
		put:     func(ev *E) error { return offer(ev, event.ProviderOf(d).Put) },
		putLast: func(ev *E) error { return offer(ev, event.ProviderOf(d).PutAfterSources) },
		into:    func(to any, ev *E) { put(to.(*T), ev) },
	}
	switch put := any(put).(type) {
	case func(*T, *ConnRequest): // a request that finds no room is refused, not lost
		s.put = func(ev *E) error {
			var t T
			put(&t, any(ev).(*ConnRequest))
			return d.Post(t)
		}
	case func(*T, *Completion):
		s.connect = func(q *CompletionQueue, depth int) error {
			initCompletionQueue(q, d)
			return connectQueue(q, depth, depth, d, &convertingSource[T]{q: q, put: put})
		}
	}
	return s
}

// SinkFunc creates a sink that calls handle for every event. handle must not keep the *E
// (except a *[ConnRequest], which the handler then must answer). It must not block, nor call what waits for
// the source of the events: Close, Reset and Shutdown of its endpoint, Close of its listener or adapter. It may
// end other connections with Abort. It may run inside any call of the library, on that call's goroutine, and several
// times at once. So it must not take a lock that the program holds while it calls the library, and it must not call
// packages mailbox, rsocket and valkey, nor bind a window whose bind it may run in. If it returns false, a connection
// request is refused with ErrRefused; other events count as lost. SinkFunc is not for completions, which need a
// dispatcher.
func SinkFunc[E Event](handle func(*E) bool) *Sink[E] {
	mustHave("SinkFunc", handle != nil)
	put := func(ev *E) error {
		if !handle(ev) {
			return hca.NewError(hca.Refused, "take", describe(any(ev)), "the program's handler did not take it")
		}
		return nil
	}
	return &Sink[E]{put: put, putLast: put}
}

// describe names an event in errors.
func describe(ev any) string {
	switch ev := ev.(type) {
	case *ConnEvent:
		return "connection event " + ev.Kind.String()
	case *AsyncError:
		return "asynchronous error " + ev.Kind.String()
	case *ConnRequest:
		return "connection request"
	}
	return "completion"
}

// mustHave panics if a call that returns no error got nil.
func mustHave(call string, all bool) {
	if !all {
		panic("rdma: " + call + ": an argument is nil")
	}
}

func lostEvent(dispatcher, what string) error {
	return hca.NewError(hca.Overflow, "queue", what, "dispatcher "+dispatcher+" is full or closed; make it deeper or take events sooner")
}

// elsewhere creates the closed dispatcher that stands for events with a sink of the program: a
// program that waits on it by mistake gets an error at once.
func elsewhere[T any](what string) *event.Dispatcher[T] {
	d := event.New[T](event.Config{Name: what + ", which go to a sink of the program", Depth: 1})
	d.Close()
	return d
}
