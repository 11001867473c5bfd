package dat

import "github.com/godapl/godapl/rdma"

// The InfiniBand extension (2.0). Each operation of dat_extension_op is a function
// of its own. Completions are [IBDTOEvent], with the extended part in
// EventExtensionData.

// IBPostFetchAndAdd atomically adds to 8 bytes of the peer, and fetches their former
// value into localIOV (dat_ib_post_fetch_and_add). The peer's memory must be aligned
// and have [IBMemPrivRemoteAtomic]. It counts as a read: see [EPPostRDMARead] for connections
// without reads. [ModelNotSupported] if the adapter or the peer has no atomics.
func IBPostFetchAndAdd(epHandle EPHandle, addValue uint64, localIOV *LMRTriplet, userCookie DTOCookie, remoteIOV *RMRTriplet, completionFlags CompletionFlags) Return {
	return postAtomic(epHandle, localIOV, 3, remoteIOV, userCookie, completionFlags, func(e *ep, at rdma.FetchAdd) error {
		at.Add = addValue
		return e.native.PostFetchAdd(at)
	})
}

// IBPostCmpAndSwap atomically sets 8 bytes of the peer to swapValue if they equal
// cmpValue, and fetches their former value (dat_ib_post_cmp_and_swap), under the conditions
// of IBPostFetchAndAdd.
func IBPostCmpAndSwap(epHandle EPHandle, cmpValue, swapValue uint64, localIOV *LMRTriplet, userCookie DTOCookie, remoteIOV *RMRTriplet, completionFlags CompletionFlags) Return {
	return postAtomic(epHandle, localIOV, 4, remoteIOV, userCookie, completionFlags, func(e *ep, at rdma.FetchAdd) error {
		return e.native.PostCompareSwap(rdma.CompareSwap{Into: at.Into, At: at.At, Compare: cmpValue, Swap: swapValue,
			Cookie: at.Cookie, Flags: at.Flags})
	})
}

// postAtomic is common to both; local is the n-th argument.
func postAtomic(h EPHandle, local *LMRTriplet, n int, remote *RMRTriplet, cookie DTOCookie, flags CompletionFlags, do func(*ep, rdma.FetchAdd) error) Return {
	e := getEP(h)
	switch {
	case e == nil:
		return badEP
	case local == nil || local.SegmentLength < 8:
		return badArg(n)
	case remote == nil || remote.SegmentLength < 8 || remote.TargetAddress%8 != 0:
		return badArg(n + 2)
	}
	p := post{e: e, flags: flags, arg: n - 1}
	r := e.rules.Load()
	if ret := p.begin(1, []LMRTriplet{*local}, 1, r.requestDTOs, rdmaFlags, r.requestUnsignalled, n+3); ret != Success {
		return ret
	}
	defer p.end()
	into, _ := p.segments()
	err := do(e, rdma.FetchAdd{Into: into, At: remote.remote(), Cookie: p.cookie(cookie), Flags: nativeFlags[flags]})
	ret := p.posted(err, PrivilegesWrite, ProtectionWrite)
	if c := e.native.Conn(); c != nil && c.ReadsOut() == 0 && e.ia.attr.Caps.Atomics {
		return withoutReads(ret)
	}
	return ret
}

// IBPostRDMAWriteImmed is a write that also consumes a receive of the peer, whose
// completion has the immediate data (dat_ib_post_rdma_write_immed).
func IBPostRDMAWriteImmed(epHandle EPHandle, numSegments Count, localIOV []LMRTriplet, userCookie DTOCookie, remoteIOV *RMRTriplet, immediateData uint32, completionFlags CompletionFlags) Return {
	e := getEP(epHandle)
	if e == nil {
		return badEP
	}
	if remoteIOV == nil {
		return badArg(5)
	}
	return e.postWrite(numSegments, localIOV, userCookie, remoteIOV, completionFlags, sendFlags, &immediateData)
}

// IBOpenQuery opens an adapter only to ask it (dat_ib_open_query). [IBCloseQuery]
// ends that.
func IBOpenQuery(iaName NamePtr, iaHandle *IAHandle, iaMask IAAttrMask, iaAttr *IAAttr, providerMask ProviderAttrMask, providerAttr *ProviderAttr) Return {
	async := EVDAsyncExists
	if ret := IAOpenv(iaName, 0, &async, iaHandle, 2, 0, False); ret != Success {
		return ret
	}
	ret := IAQuery(*iaHandle, nil, iaMask, iaAttr, providerMask, providerAttr)
	if ret != Success {
		IAClose(*iaHandle, CloseAbruptFlag)
	}
	return ret
}

// IBCloseQuery closes an adapter that IBOpenQuery has opened (dat_ib_close_query).
func IBCloseQuery(iaHandle IAHandle) Return { return IAClose(iaHandle, CloseAbruptFlag) }
