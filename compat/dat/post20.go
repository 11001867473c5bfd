package dat

import (
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// EPPostSendWithInvalidate is EPPostSend which, with invalidateFlag, also revokes a key
// of the peer before the peer's receive completes (dat_ep_post_send_with_invalidate,
// 2.0): the key of a bound window with endpoint scope. If it cannot be revoked, the
// connection breaks.
func EPPostSendWithInvalidate(epHandle EPHandle, numSegments Count, localIOV []LMRTriplet, userCookie DTOCookie, completionFlags CompletionFlags, invalidateFlag Boolean, rmrContext RMRContext) Return {
	e := getEP(epHandle)
	switch {
	case e == nil:
		return badEP
	case !bool(invalidateFlag):
		rmrContext = 0
	case rmrContext == 0:
		return badArg(7)
	}
	return e.postSend(numSegments, localIOV, userCookie, completionFlags, rmrContext)
}

// EPPostRDMAReadToRMR is a read whose local memory is named by the key of a window
// (dat_ep_post_rdma_read_to_rmr, 2.0; inferred): the window must be bound, with
// REMOTE_WRITE, and cover localIOV. The adapters here always show the key of the region
// to the peer. So the purpose in C, a short-lived key, is not achieved. On a connection
// without reads it fails as EPPostRDMARead does.
func EPPostRDMAReadToRMR(epHandle EPHandle, localIOV *RMRTriplet, userCookie DTOCookie, remoteIOV *RMRTriplet, completionFlags CompletionFlags) Return {
	e := getEP(epHandle)
	switch {
	case e == nil:
		return badEP
	case localIOV == nil:
		return badArg(2)
	case remoteIOV == nil:
		return badArg(4)
	}
	rules := e.rules.Load()
	switch {
	case completionFlags&^rdmaFlags != 0, completionFlags&CompletionUnsignalledFlag != 0 && !rules.requestUnsignalled:
		return badArg(5)
	case remoteIOV.SegmentLength > localIOV.SegmentLength || remoteIOV.SegmentLength > rules.maxRDMA:
		return failure(LengthError, NoSubtype)
	case rules.requestDTOs == 0:
		return failure(InsufficientResources, NoSubtype)
	}
	var into mem.Slice
	if localIOV.SegmentLength > 0 { // the rest of an empty triplet is not looked at
		var ret Return
		if into, ret = e.ia.window(localIOV); ret != Success {
			return ret
		}
	}
	return e.readInto(into, userCookie, remoteIOV, completionFlags)
}

func (e *ep) readInto(into mem.Slice, cookie DTOCookie, from *RMRTriplet, flags CompletionFlags) Return {
	p := post{e: e, flags: flags}
	read := rdma.Read{Into: into, From: from.remote(), Cookie: p.cookie(cookie), Flags: nativeFlags[flags]}
	return withoutReads(p.posted(e.native.PostRead(read), PrivilegesRDMAWrite, ProtectionRDMAWrite))
}
