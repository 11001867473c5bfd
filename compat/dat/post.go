package dat

import (
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// The posts. The simple case, one segment and a numeric cookie, directly makes the
// native call; all other cases take longer, and allocate nothing either.

// Completion flags as the native API has them. Flags of posts are below 0x10.
var nativeFlags [16]rdma.Flags

func init() {
	for i := range nativeFlags {
		f := CompletionFlags(i)
		for _, m := range [...]struct {
			from CompletionFlags
			to   rdma.Flags
		}{
			{CompletionSuppressFlag, rdma.NoCompletion}, {CompletionSolicitedWaitFlag, rdma.Solicited},
			{CompletionUnsignalledFlag, rdma.NoWake}, {CompletionBarrierFenceFlag, rdma.Fence},
		} {
			if f&m.from != 0 {
				nativeFlags[i] |= m.to
			}
		}
	}
}

// Flags by operation.
const (
	sendFlags = CompletionSuppressFlag | CompletionSolicitedWaitFlag | CompletionUnsignalledFlag | CompletionBarrierFenceFlag
	rdmaFlags = sendFlags &^ CompletionSolicitedWaitFlag
	recvFlags = CompletionUnsignalledFlag
)

// EPPostSend posts a message (dat_ep_post_send). numSegments 0 is an empty one. See
// the package comment for what a post may return: [InsufficientResources] for a full
// queue, [InvalidState] unless connected (after the end, posts succeed and are
// flushed), [PrivilegesViolation], [ProtectionViolation] and [InvalidParameter] for
// segments.
func EPPostSend(epHandle EPHandle, numSegments Count, localIOV []LMRTriplet, userCookie DTOCookie, completionFlags CompletionFlags) Return {
	e := eps.Get(Handle(epHandle))
	if e == nil {
		return badEP
	}
	if numSegments == 1 && len(localIOV) > 0 && completionFlags == 0 && !userCookie.needsPlace() {
		t, r := &localIOV[0], e.rules.Load()
		if s, ok := e.ia.slice(t); ok && r.sends && t.SegmentLength <= r.maxMessage {
			if err := e.native.PostSend(rdma.Send{From: s, Cookie: userCookie.As64}); err != nil {
				return e.refused(err, PrivilegesRead, ProtectionRead)
			}
			return Success
		}
	}
	return e.postSend(numSegments, localIOV, userCookie, completionFlags, 0)
}

func (e *ep) postSend(n Count, iov []LMRTriplet, cookie DTOCookie, flags CompletionFlags, invalidate RMRContext) Return {
	r := e.rules.Load()
	p := post{e: e, flags: flags, arg: 2}
	if ret := p.begin(n, iov, r.requestIOV, r.requestDTOs, sendFlags, r.requestUnsignalled, 5); ret != Success {
		return ret
	}
	defer p.end()
	if p.total > r.maxMessage {
		return failure(LengthError, NoSubtype)
	}
	send := rdma.Send{Cookie: p.cookie(cookie), Flags: nativeFlags[flags], Invalidate: mem.Key(invalidate)}
	send.From, send.More = p.segments()
	return p.posted(e.native.PostSend(send), PrivilegesRead, ProtectionRead)
}

// EPPostRecv posts a receive for a message (dat_ep_post_recv), in any state. It fails
// with [InvalidState] on an endpoint with a shared receive queue, and with
// [ProtectionViolation] on an endpoint without a zone, since no memory can match: set
// the zone first ([EPModify]).
func EPPostRecv(epHandle EPHandle, numSegments Count, localIOV []LMRTriplet, userCookie DTOCookie, completionFlags CompletionFlags) Return {
	e := eps.Get(Handle(epHandle))
	if e == nil {
		return badEP
	}
	if numSegments == 1 && len(localIOV) > 0 && completionFlags == 0 && !userCookie.needsPlace() {
		if s, ok := e.ia.slice(&localIOV[0]); ok && e.rules.Load().receives {
			if err := e.native.PostRecv(rdma.Recv{Into: s, Cookie: userCookie.As64}); err != nil {
				return e.refused(err, PrivilegesWrite, ProtectionWrite)
			}
			return Success
		}
	}
	r := e.rules.Load()
	switch {
	case r.srq != nil:
		return failure(InvalidState, InvalidStateSRQInUse)
	case !r.zone:
		return failure(ProtectionViolation, ProtectionWrite)
	}
	p := post{e: e, flags: completionFlags, arg: 2}
	if ret := p.begin(numSegments, localIOV, r.recvIOV, r.recvDTOs, recvFlags, r.recvUnsignalled, 5); ret != Success {
		return ret
	}
	defer p.end()
	recv := rdma.Recv{Cookie: p.cookie(userCookie), Flags: nativeFlags[completionFlags]}
	recv.Into, recv.More = p.segments()
	return p.posted(e.native.PostRecv(recv), PrivilegesWrite, ProtectionWrite)
}

// EPPostRDMARead posts a read of the peer's memory (dat_ep_post_rdma_read).
// [LengthError] if the segments are smaller than remoteBuffer. [InsufficientResources]
// with [ResourceCredits], for as long as the connection lasts, if one side has no reads:
// MaxRDMAReadOut of this one or MaxRDMAReadIn of the other is 0.
func EPPostRDMARead(epHandle EPHandle, numSegments Count, localIOV []LMRTriplet, userCookie DTOCookie, remoteBuffer *RMRTriplet, completionFlags CompletionFlags) Return {
	e := eps.Get(Handle(epHandle))
	if e == nil {
		return badEP
	}
	if remoteBuffer == nil {
		return badArg(5)
	}
	r := e.rules.Load()
	if numSegments == 1 && len(localIOV) > 0 && completionFlags == 0 && !userCookie.needsPlace() && remoteBuffer.SegmentLength <= r.maxRDMA {
		if s, ok := e.ia.slice(&localIOV[0]); ok && r.reads {
			if err := e.native.PostRead(rdma.Read{Into: s, From: remoteBuffer.remote(), Cookie: userCookie.As64}); err != nil {
				return withoutReads(e.refused(err, PrivilegesWrite, ProtectionWrite))
			}
			return Success
		}
	}
	p := post{e: e, flags: completionFlags, arg: 2}
	if ret := p.begin(numSegments, localIOV, r.readIOV, r.requestDTOs, rdmaFlags, r.requestUnsignalled, 6); ret != Success {
		return ret
	}
	defer p.end()
	if remoteBuffer.SegmentLength > r.maxRDMA {
		return failure(LengthError, NoSubtype)
	}
	read := rdma.Read{From: remoteBuffer.remote(), Cookie: p.cookie(userCookie), Flags: nativeFlags[completionFlags]}
	read.Into, read.More = p.segments()
	return withoutReads(p.posted(e.native.PostRead(read), PrivilegesWrite, ProtectionWrite))
}

// withoutReads is the result of a read. That of a connection without reads is named as the page of the call does.
func withoutReads(ret Return) Return {
	if ret.Type() == ModelNotSupported {
		return failure(InsufficientResources, ResourceCredits)
	}
	return ret
}

// EPPostRDMAWrite posts a write to the peer's memory (dat_ep_post_rdma_write).
// [LengthError] if the segments are larger than remoteBuffer.
func EPPostRDMAWrite(epHandle EPHandle, numSegments Count, localIOV []LMRTriplet, userCookie DTOCookie, remoteBuffer *RMRTriplet, completionFlags CompletionFlags) Return {
	e := eps.Get(Handle(epHandle))
	if e == nil {
		return badEP
	}
	if remoteBuffer == nil {
		return badArg(5)
	}
	if numSegments == 1 && len(localIOV) > 0 && completionFlags == 0 && !userCookie.needsPlace() {
		t, r := &localIOV[0], e.rules.Load()
		if s, ok := e.ia.slice(t); ok && r.writes && t.SegmentLength <= r.maxRDMA {
			if err := e.native.PostWrite(rdma.Write{From: s, To: remoteBuffer.remote(), Cookie: userCookie.As64}); err != nil {
				return e.refused(err, PrivilegesRead, ProtectionRead)
			}
			return Success
		}
	}
	return e.postWrite(numSegments, localIOV, userCookie, remoteBuffer, completionFlags, rdmaFlags, nil)
}

// postWrite is the long way, and the way of writes with immediate data.
func (e *ep) postWrite(n Count, iov []LMRTriplet, cookie DTOCookie, to *RMRTriplet, flags, allowed CompletionFlags, immediate *uint32) Return {
	r := e.rules.Load()
	p := post{e: e, flags: flags, arg: 2}
	flagArg := 6
	if immediate != nil {
		flagArg = 7
	}
	if ret := p.begin(n, iov, r.writeIOV, r.requestDTOs, allowed, r.requestUnsignalled, flagArg); ret != Success {
		return ret
	}
	defer p.end()
	if p.total > r.maxRDMA {
		return failure(LengthError, NoSubtype)
	}
	write := rdma.Write{To: to.remote(), Cookie: p.cookie(cookie), Flags: nativeFlags[flags]}
	if immediate != nil {
		write.Immediate = *immediate
		write.Flags |= rdma.WithImmediate
	}
	write.From, write.More = p.segments()
	return p.posted(e.native.PostWrite(write), PrivilegesRead, ProtectionRead)
}

func (t *RMRTriplet) remote() mem.Remote {
	return mem.Remote{Key: mem.Key(t.RMRContext), Addr: uint64(t.TargetAddress), Length: uint64(t.SegmentLength)}
}
