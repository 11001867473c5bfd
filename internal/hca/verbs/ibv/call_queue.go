package ibv

// CreateCompChannel is ibv_create_comp_channel.
func (l *Lib) CreateCompChannel(c Context) (CompChannel, Errno) {
	p, e := call1(l.createCompChannel, c).pointer()
	return CompChannel(p), e
}

// DestroyCompChannel is ibv_destroy_comp_channel. It is EBUSY while a CQ uses
// the channel.
func (l *Lib) DestroyCompChannel(c CompChannel) Errno { return call1(l.destroyCompChannel, c).verbs() }

// CreateCQ is ibv_create_cq, for at least cqe entries. user comes back from
// [CQ.UserContext] and [Lib.GetCQEvent]; channel may be 0.
func (l *Lib) CreateCQ(c Context, cqe int, user uintptr, channel CompChannel, vector int) (CQ, Errno) {
	p, e := call(l.createCQ, uintptr(c), uintptr(cqe), user, uintptr(channel), uintptr(vector)).pointer()
	return CQ(p), e
}

// ResizeCQ is ibv_resize_cq; [CQ.CQE] then gives the new size.
func (l *Lib) ResizeCQ(c CQ, cqe int) Errno { return call2(l.resizeCQ, c, uintptr(cqe)).verbs() }

// DestroyCQ is ibv_destroy_cq. It waits until the queue's events have been
// acknowledged.
func (l *Lib) DestroyCQ(c CQ) Errno { return call1(l.destroyCQ, c).verbs() }

// GetCQEvent is ibv_get_cq_event: the queue that raised an event on the
// channel, and its user context. With the channel's descriptor set
// non-blocking it is EAGAIN where there is none.
func (l *Lib) GetCQEvent(c CompChannel) (cq CQ, user uintptr, e Errno) {
	out, b, e := scratch[[2]uintptr]()
	if e != 0 {
		return 0, 0, e
	}
	defer b.release()
	if e := call3(l.getCQEvent, c, b.addr, b.addr+8).verbs(); e != 0 {
		return 0, 0, e
	}
	return CQ(out[0]), out[1], 0
}

// AckCQEvents is ibv_ack_cq_events, for n events.
func (l *Lib) AckCQEvents(c CQ, n uint32) { call2(l.ackCQEvents, c, uintptr(n)) }

// CreateSRQ is ibv_create_srq. On success attr holds what the queue really has.
func (l *Lib) CreateSRQ(p PD, attr *SRQInitAttr) (SRQ, Errno) {
	a, b, e := scratch[SRQInitAttr]()
	if e != 0 {
		return 0, e
	}
	defer b.release()
	*a = *attr
	s, e := call2(l.createSRQ, p, b.addr).pointer()
	if e == 0 {
		*attr = *a
	}
	return SRQ(s), e
}

// ModifySRQ is ibv_modify_srq: a new size, a new limit, or both.
func (l *Lib) ModifySRQ(s SRQ, attr SRQAttr, mask SRQAttrMask) Errno {
	a, b, e := scratch[SRQAttr]()
	if e != 0 {
		return e
	}
	defer b.release()
	*a = attr
	return call3(l.modifySRQ, s, b.addr, uintptr(mask)).verbs()
}

// QuerySRQ is ibv_query_srq. Limit is 0 once the limit's event was raised.
func (l *Lib) QuerySRQ(s SRQ) (SRQAttr, Errno) {
	a, b, e := scratch[SRQAttr]()
	if e != 0 {
		return SRQAttr{}, e
	}
	defer b.release()
	e = call2(l.querySRQ, s, b.addr).verbs()
	return *a, e
}

// DestroySRQ is ibv_destroy_srq. It waits until the queue's asynchronous events
// have been acknowledged, and is EBUSY while a queue pair uses it.
func (l *Lib) DestroySRQ(s SRQ) Errno { return call1(l.destroySRQ, s).verbs() }

// DestroyQP is ibv_destroy_qp. It waits until the queue pair's asynchronous
// events have been acknowledged. One that [Lib.CreateQP] made is taken from its ID
// first, see [ID.TakeQP].
func (l *Lib) DestroyQP(q QP) Errno { return call1(l.destroyQP, q).verbs() }

// ModifyQP is ibv_modify_qp.
func (l *Lib) ModifyQP(q QP, attr *QPAttr, mask QPAttrMask) Errno {
	a, b, e := scratch[QPAttr]()
	if e != 0 {
		return e
	}
	defer b.release()
	*a = *attr
	return call3(l.modifyQP, q, b.addr, uintptr(mask)).verbs()
}

// QueryQP is ibv_query_qp.
func (l *Lib) QueryQP(q QP, mask QPAttrMask) (QPAttr, QPInitAttr, Errno) {
	type both struct {
		attr QPAttr
		init QPInitAttr
	}
	a, b, e := scratch[both]()
	if e != 0 {
		return QPAttr{}, QPInitAttr{}, e
	}
	defer b.release()
	e = call(l.queryQP, uintptr(q), b.addr, uintptr(mask), b.addr+uintptr(sizeOf[QPAttr]()), 0).verbs()
	return a.attr, a.init, e
}
