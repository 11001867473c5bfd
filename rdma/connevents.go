package rdma

import (
	"sync"

	"github.com/godapl/godapl/rdma/event"
)

// connEventDepth is the depth of an endpoint's own dispatcher of connection events.
const connEventDepth = 64

// connEvents delivers an endpoint's connection events to the sink of the configuration or to
// the endpoint's own dispatcher. The dispatcher is created on demand, as most programs use the
// Conn instead.
type connEvents struct {
	mu     sync.Mutex
	own    *event.Dispatcher[ConnEvent]
	past   []ConnEvent // of the current connection, while there is no dispatcher
	closed bool
}

func (o *connEvents) dispatcher(e *Endpoint) *event.Dispatcher[ConnEvent] {
	if e.Config().ConnEvents != nil {
		return sunkConnEvents()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.own == nil {
		o.own = newDispatcher[ConnEvent](e.adapter, "connection events of "+e.object(), connEventDepth)
		for i := range o.past {
			event.ProviderOf(o.own).Put(&o.past[i], false)
		}
		o.past = nil
		if o.closed {
			o.own.Close()
		}
	}
	return o.own
}

// sunkConnEvents stands for the dispatchers of all endpoints with a sink.
var sunkConnEvents = sync.OnceValue(func() *event.Dispatcher[ConnEvent] { return elsewhere[ConnEvent]("connection events") })

// forget drops the remembered events when the next connection begins.
func (o *connEvents) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.past = nil
}

func (o *connEvents) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	if o.own != nil {
		o.own.Close()
	}
}

// tell queues a connection event. The last event of a connection follows all its completions.
func (e *Endpoint) tell(ev *ConnEvent, last bool) {
	e.mu.Lock()
	sink := e.cfg.ConnEvents
	e.mu.Unlock()
	if sink == nil {
		e.events.put(*ev)
		return
	}
	put := sink.put
	if last {
		put = sink.putLast
	}
	if err := put(ev); err != nil {
		e.adapter.async.tell(AsyncError{Kind: AsyncOverflow, Endpoint: e, Err: err})
	}
}

func (o *connEvents) put(ev ConnEvent) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.own == nil {
		o.past = append(o.past, ev)
		return
	}
	event.ProviderOf(o.own).Put(&ev, false)
}
