package vipl

import "github.com/godapl/godapl/rdma"

// complete notes a native completion. The caller holds mu.
func (q *workQueue) complete(cookie uint64, op rdma.Op, status rdma.Status, length, immediate uint32) {
	if op == 0 {
		return
	}
	p := q.at(cookie) // its lower bits are the place
	if p.cookie != cookie || !p.given || p.done {
		return // of an earlier attempt to connect
	}
	switch {
	case status != rdma.StatusOK:
		q.failed(p, status)
	case q.recv:
		p.done = true
		q.received(p, op, length, immediate)
	default:
		p.done = true
		p.desc.finish(p.op, p.desc.CS.Length)
	}
}

// received completes a receive.
func (q *workQueue) received(p *posted, op rdma.Op, length, immediate uint32) {
	status := p.op
	switch op {
	case rdma.OpRecvImm:
		status |= StatusImmediate
	case rdma.OpRecvWriteImm:
		status = StatusOpRemoteRDMAWrite | StatusImmediate
	}
	if status&StatusImmediate != 0 {
		p.desc.CS.ImmediateData = immediate
	}
	p.desc.finish(status, length)
}

// failed completes a descriptor whose operation has failed.
func (q *workQueue) failed(p *posted, native rdma.Status) {
	v := q.vi
	if native == rdma.StatusFlushed && q.recv && v.is() == StateConnectPending {
		p.flushed = true // if the attempt fails, the receive stays
		return
	}
	p.done, p.bad = true, true
	if p.of(v.attempt.Load()) {
		v.state.CompareAndSwap(uint32(StateConnected), uint32(StateError))
	}
	status := statusOf(native)
	if status == StatusFormatError && q.recv {
		status = q.fault(p)
	}
	p.desc.finish(p.op|status, 0)
}

// fault is the status of a receive that a device has failed without telling why. Its format
// was checked by the post: either its memory has gone since, or the message was too long.
// The caller holds mu.
func (q *workQueue) fault(p *posted) uint32 {
	q.within = &noRegion
	if _, _, _, status := q.local(p.desc.list(p.count)); status != 0 {
		return status
	}
	return StatusLengthError
}

// statusOf translates the status of a native completion.
func statusOf(s rdma.Status) uint32 {
	switch s {
	case rdma.StatusFlushed:
		return StatusDescFlushedError
	case rdma.StatusLocalLength:
		return StatusLengthError
	case rdma.StatusLocalEndpoint:
		return StatusFormatError
	case rdma.StatusLocalProtection:
		return StatusProtectionError
	case rdma.StatusRemoteAccess:
		return StatusRDMAProtError
	case rdma.StatusRemoteInvalid, rdma.StatusRemoteOp, rdma.StatusReceiverNotReady:
		return StatusRemoteDescError
	}
	return StatusTransportError
}
