package ibv

// Frame makes the calls that move data. It holds the arguments of one call, so
// it serves one goroutine at a time: keep one beside each lock under which
// calls are made. No call allocates memory.
//
// The functions called return their error number themselves, so errno, which
// takes a few nanoseconds to ask for, is left alone.
//
// Work requests and completions are passed by address, of an [Array].
type Frame struct {
	// Ops are the functions of the device's driver, from [Context.Ops].
	Ops *Ops

	c crossing
}

// call calls a function of the driver. None of them waits: at most they enter the
// kernel to queue a request or to send it.
func (f *Frame) call(fn, a0, a1, a2 uintptr) result {
	f.c.fn, f.c.args[0], f.c.args[1], f.c.args[2] = fn, a0, a1, a2
	f.c.quick()
	return f.c.result
}

// PollCQ is ibv_poll_cq: it moves up to n completions from the queue to the
// [WC] array at wcs and gives their number, or a negative number if the
// queue is broken. It never blocks.
func (f *Frame) PollCQ(cq CQ, n int, wcs uintptr) int {
	return f.call(f.Ops.pollCQ, uintptr(cq), uintptr(n), wcs).int()
}

// ReqNotify is ibv_req_notify_cq: the next completion, or the next solicited
// one or error, raises an event on the queue's channel.
func (f *Frame) ReqNotify(cq CQ, solicited bool) Errno {
	only := uintptr(0)
	if solicited {
		only = 1
	}
	return f.call(f.Ops.reqNotifyCQ, uintptr(cq), only, 0).verbs()
}

// PostSend is ibv_post_send: it posts the chain of [SendWR] that begins at wr.
// If it fails, the word at bad holds the address of the first that was not
// posted.
func (f *Frame) PostSend(qp QP, wr, bad uintptr) Errno {
	return f.call(f.Ops.postSend, uintptr(qp), wr, bad).verbs()
}

// PostRecv is ibv_post_recv, for a chain of [RecvWR]; see [Frame.PostSend].
func (f *Frame) PostRecv(qp QP, wr, bad uintptr) Errno {
	return f.call(f.Ops.postRecv, uintptr(qp), wr, bad).verbs()
}

// PostSRQRecv is ibv_post_srq_recv, for a chain of [RecvWR]; see [Frame.PostSend].
func (f *Frame) PostSRQRecv(srq SRQ, wr, bad uintptr) Errno {
	return f.call(f.Ops.postSRQRe, uintptr(srq), wr, bad).verbs()
}

// BindMW is ibv_bind_mw: it posts the bind of a window of type 1 on a queue
// pair's send queue, as the [MWBind] at bind says. The window has its new key
// on return; the peer may use it once the bind has completed.
func (f *Frame) BindMW(qp QP, mw MW, bind uintptr) Errno {
	info := &at[MWBind](bind).Info
	switch {
	case mw.Type() != MWType1, info.MR == 0 && (info.Addr != 0 || info.Length != 0):
		return EINVAL
	case info.MR != 0 && mw.PD() != info.MR.PD():
		return EPERM
	case f.Ops.bindMW == 0:
		return EOPNOTSUPP
	}
	return f.call(f.Ops.bindMW, uintptr(qp), uintptr(mw), bind).verbs()
}
