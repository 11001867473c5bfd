package dat

import "github.com/godapl/godapl/rdma"

// asynchronous translates an asynchronous error of the adapter. The numbers of the
// watermarks are not laid down: see docs/udapl.md.
func (a *ia) asynchronous(e *rdma.AsyncError) bool {
	number, object, reason := AsyncErrorProviderInternalError, a.handle, IAOtherError
	var of *ep
	if e.Endpoint != nil {
		if of = eps.Get(Handle(e.Endpoint.Tag())); of == nil {
			return true // the program has freed it, and expects nothing of it
		}
	}
	switch e.Kind {
	case rdma.AsyncAdapterFailed:
		number, reason = AsyncErrorIACatastrophic, IACatastrophicError
	case rdma.AsyncOverflow:
		d := a.evdOf(e.CompletionQueue)
		if d == nil {
			return true // a dispatcher that was full has told so itself
		}
		number, object, reason = AsyncErrorEVDOverflow, d.handle, EVDOverflowError
	case rdma.AsyncEndpointBroken:
		number, object, reason = AsyncErrorEPBroken, of.handle, EPTransferToError
	case rdma.AsyncLastReceive:
		if of.rules.Load().connects {
			return true // see lastReceived
		}
		number, object, reason = AsyncErrorEPBroken, of.handle, EPOtherError
	case rdma.AsyncHighWatermark:
		number, object, reason = AsyncErrorEPBroken, of.handle, SRQSoftHighWatermarkEvent
	case rdma.AsyncPortUp, rdma.AsyncCaptureEnded:
		return true
	}
	a.tell(number, object, reason)
	return true
}

// tell queues an asynchronous error.
func (a *ia) tell(number EventNumber, object Handle, reason Count) {
	if d := a.errors(); d != nil {
		feed(d.d).Put(&record{number: number, handle: object, status: uint32(reason)}, false)
	}
}

// errors is the dispatcher of asynchronous errors: the adapter's, or that of another open; nil if there is none.
func (a *ia) errors() *evd {
	if d := a.own(); d != nil {
		return d
	}
	return opened.collector(a)
}

// own is the dispatcher that was given to the open, or made by it; nil if there is none any more: one that another open
// has made ends with that open's adapter.
func (a *ia) own() *evd {
	a.mu.Lock()
	d := a.async
	a.mu.Unlock()
	if d == nil || evds.Get(d.handle) != d {
		return nil
	}
	return d
}

func (a *ia) evdOf(q *rdma.CompletionQueue) *evd {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.queues[q]
}
