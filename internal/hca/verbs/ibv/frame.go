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

	args [3]uintptr
}

// PollCQ is ibv_poll_cq: it moves up to n completions from the queue to the
// [WC] array at wcs and gives their number, or a negative number if the
// queue is broken. It never blocks.
func (f *Frame) PollCQ(cq CQ, n int, wcs uintptr) int {
	f.args = [3]uintptr{uintptr(cq), uintptr(n), wcs}
	return cross(f.Ops.pollCQ, f.args[:]).int()
}

// ReqNotify is ibv_req_notify_cq: the next completion, or the next solicited
// one or error, raises an event on the queue's channel.
func (f *Frame) ReqNotify(cq CQ, solicited bool) Errno {
	f.args = [3]uintptr{uintptr(cq), 0, 0}
	if solicited {
		f.args[1] = 1
	}
	return cross(f.Ops.reqNotifyCQ, f.args[:]).verbs()
}

// PostSend is ibv_post_send: it posts the chain of [SendWR] that begins at wr.
// If it fails, the word at bad holds the address of the first that was not
// posted.
func (f *Frame) PostSend(qp QP, wr, bad uintptr) Errno {
	f.args = [3]uintptr{uintptr(qp), wr, bad}
	return cross(f.Ops.postSend, f.args[:]).verbs()
}

// PostRecv is ibv_post_recv, for a chain of [RecvWR]; see [Frame.PostSend].
func (f *Frame) PostRecv(qp QP, wr, bad uintptr) Errno {
	f.args = [3]uintptr{uintptr(qp), wr, bad}
	return cross(f.Ops.postRecv, f.args[:]).verbs()
}

// PostSRQRecv is ibv_post_srq_recv, for a chain of [RecvWR]; see [Frame.PostSend].
func (f *Frame) PostSRQRecv(srq SRQ, wr, bad uintptr) Errno {
	f.args = [3]uintptr{uintptr(srq), wr, bad}
	return cross(f.Ops.postSRQRe, f.args[:]).verbs()
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
	f.args = [3]uintptr{uintptr(qp), uintptr(mw), bind}
	return cross(f.Ops.bindMW, f.args[:]).verbs()
}
