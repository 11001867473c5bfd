package verbs

import (
	"maps"
	"slices"
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// asyncReader reads a device's asynchronous events. What it does about them does not wait for
// the consumer: see teller.
type asyncReader struct {
	d *descriptor
	// mu admits one reader at a time: the goroutine, or a caller of drain.
	mu   sync.Mutex
	next func() ibv.Errno
}

func newAsyncReader(dev *device) (*asyncReader, error) {
	r := &asyncReader{}
	r.next = func() ibv.Errno {
		r.mu.Lock()
		defer r.mu.Unlock()
		ev, e := dev.lib.GetAsyncEvent(dev.ctx)
		if e != 0 {
			return e
		}
		act := dev.route(&ev)
		// An object cannot be destroyed before its events are acknowledged. So
		// acknowledge first and act on the event afterwards.
		dev.lib.AckAsyncEvent(ev)
		if act != nil {
			act()
		}
		return 0
	}
	var err error
	r.d, err = watch(dev.name, dev.ctx.AsyncFD(), r.next)
	return r, err
}

func (r *asyncReader) close() { r.d.close() }

// drain reads the events that are pending now, so that the cause of an end is known
// before the end is reported.
func (d *device) drain() {
	d.mu.Lock()
	r := d.events
	d.mu.Unlock()
	if r == nil {
		return
	}
	for {
		if e := r.next(); e != 0 && e != ibv.EINTR {
			return
		}
	}
}

// route finds the receiver of an event. It must be called before the event is
// acknowledged: until then the object exists.
func (d *device) route(ev *ibv.AsyncEvent) func() {
	what := d.lib.EventTypeString(ev.Type)
	d.mu.Lock()
	adapters := d.adapters
	d.mu.Unlock()
	switch ev.Type {
	case ibv.EventCQErr:
		for _, a := range adapters {
			if c := a.findCQ(ev.CQ()); c != nil {
				return c.overflowed
			}
		}
	case ibv.EventQPFatal, ibv.EventQPReqErr, ibv.EventQPAccessErr, ibv.EventPathMigErr, ibv.EventQPLastWQEReached:
		for _, a := range adapters {
			if q := a.findQP(ev.QP()); q != nil {
				return func() { q.asyncError(ev.Type, what) }
			}
		}
	case ibv.EventSRQErr, ibv.EventSRQLimitReached:
		for _, a := range adapters {
			if s := a.findSRQ(ev.SRQ()); s != nil {
				return func() { s.asyncEvent(ev.Type, what) }
			}
		}
	case ibv.EventPortActive, ibv.EventPortErr, ibv.EventDeviceFatal:
		typ, port := ev.Type, uint8(ev.Port())
		return func() { d.each(func(a *adapter) { a.deviceEvent(typ, port, what) }) }
	}
	return nil
}

// deviceEvent reports an event of the port or the device.
func (a *adapter) deviceEvent(typ ibv.EventType, port uint8, what string) {
	ev := hca.AsyncEvent{Kind: hca.AsyncPortUp}
	switch typ {
	case ibv.EventPortErr:
		ev.Kind = hca.AsyncPortDown
		ev.Err = hca.NewError(hca.Unreachable, "port", a.attr.Name, what)
	case ibv.EventDeviceFatal:
		ev.Kind = hca.AsyncAdapterFailed
		ev.Err = hca.NewError(hca.Internal, "device", a.attr.Name, what+"; close the adapter and open it again")
	}
	if typ != ibv.EventDeviceFatal && port != a.port {
		return
	}
	a.reportAsync(ev)
	if typ == ibv.EventDeviceFatal {
		a.failAll(what)
	}
}

// failAll breaks the connections of a device that may no longer report on them.
func (a *adapter) failAll(what string) {
	a.mu.Lock()
	qps := slices.Collect(maps.Keys(a.all))
	a.mu.Unlock()
	for _, q := range qps {
		q.lose(hca.NewError(hca.Broken, "device", a.attr.Name, what+": "+cures[hca.StatusFatal]))
	}
}

// reportAsync reports an asynchronous event to the consumer, if it takes them.
func (a *adapter) reportAsync(ev hca.AsyncEvent) {
	if f := a.opt.Async; f != nil {
		a.tell(func() { f(ev) })
	}
}
