package ibv

// CreateEventChannel is rdma_create_event_channel.
func (l *Lib) CreateEventChannel() (EventChannel, Errno) {
	p, e := call(l.createEventChannel, 0, 0, 0, 0, 0).pointer()
	return EventChannel(p), e
}

// DestroyEventChannel is rdma_destroy_event_channel.
func (l *Lib) DestroyEventChannel(c EventChannel) { call1(l.destroyEventChannel, c) }

// GetCMEvent is rdma_get_cm_event. With the channel's descriptor set
// non-blocking it is EAGAIN where there is none. Every event is to be given to
// AckCMEvent.
func (l *Lib) GetCMEvent(c EventChannel) (CMEvent, Errno) {
	out, b, e := scratch[uintptr]()
	if e != 0 {
		return CMEvent{}, e
	}
	defer b.release()
	if e := call2(l.getCMEvent, c, b.addr).verbs(); e != 0 {
		return CMEvent{}, e
	}
	ev := at[cmEventLayout](*out)
	p := &ev.conn
	event := CMEvent{
		ID: ev.id, ListenID: ev.listenID, Type: ev.event, Status: int(ev.status), raw: *out,
		Conn: ConnParam{
			ResponderResources: p.responderResources, InitiatorDepth: p.initiatorDepth,
			FlowControl: p.flowControl, RetryCount: p.retryCount, RNRRetryCount: p.rnrRetryCount,
			SRQ: p.srq, QPNum: p.qpNum,
		},
	}
	if p.privateData != 0 && p.privateDataLen > 0 {
		event.Conn.PrivateData = append([]byte(nil), view[byte](p.privateData, int(p.privateDataLen))...)
	}
	return event, 0
}

// AckCMEvent is rdma_ack_cm_event. Destroying the IDs of an event waits for it.
func (l *Lib) AckCMEvent(event CMEvent) Errno { return call1(l.ackCMEvent, event.raw).verbs() }

// CMEventString is rdma_event_str.
func (l *Lib) CMEventString(t CMEventType) string {
	return cStringAt(call1(l.cmEventStr, uintptr(t)).value, 256)
}
