package ibv

import "structs"

// EventType is enum ibv_event_type: the kind of an asynchronous event.
type EventType uint32

// Asynchronous events.
const (
	EventCQErr EventType = iota
	EventQPFatal
	EventQPReqErr
	EventQPAccessErr
	EventCommEst
	EventSQDrained
	EventPathMig
	EventPathMigErr
	EventDeviceFatal
	EventPortActive
	EventPortErr
	EventLIDChange
	EventPKeyChange
	EventSMChange
	EventSRQErr
	EventSRQLimitReached
	EventQPLastWQEReached
	EventClientReregister
	EventGIDChange
	EventWQFatal
)

// AsyncEvent is struct ibv_async_event. Its element is read by the method that
// fits the Type.
type AsyncEvent struct {
	_       structs.HostLayout
	element uint64
	Type    EventType
}

// CQ gives the queue of EventCQErr, otherwise 0.
func (e *AsyncEvent) CQ() CQ {
	if e.Type == EventCQErr {
		return CQ(e.element)
	}
	return 0
}

// QP gives the queue pair of events about one, otherwise 0.
func (e *AsyncEvent) QP() QP {
	switch e.Type {
	case EventQPFatal, EventQPReqErr, EventQPAccessErr, EventCommEst, EventSQDrained,
		EventPathMig, EventPathMigErr, EventQPLastWQEReached:
		return QP(e.element)
	}
	return 0
}

// SRQ gives the shared receive queue of events about one, otherwise 0.
func (e *AsyncEvent) SRQ() SRQ {
	switch e.Type {
	case EventSRQErr, EventSRQLimitReached:
		return SRQ(e.element)
	}
	return 0
}

// Port gives the number of the port of events about one, otherwise 0.
func (e *AsyncEvent) Port() int {
	switch e.Type {
	case EventPortActive, EventPortErr, EventLIDChange, EventPKeyChange, EventSMChange,
		EventClientReregister, EventGIDChange:
		return int(int32(first32(e.element)))
	}
	return 0
}
