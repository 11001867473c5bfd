package main

// #include "shim.h"
import "C"

import "github.com/godapl/godapl/compat/dat"

// Posts. The members of segments have another order in 2.0, so segments are copied. Most
// posts have few segments; their copies need no allocation.
const fewSegments = 4

// segments are the local segments of a post.
type segments struct{ few [fewSegments]dat.LMRTriplet }

func (s *segments) of(iov *C.dg_lmr_triplet, n C.int32_t) []dat.LMRTriplet {
	if iov == nil || n <= 0 {
		return nil
	}
	if n > mostSegments {
		return nil // package dat refuses such a number of segments
	}
	if n > fewSegments {
		return manySegments(iov, n)
	}
	from := sliceAt(iov, int(n))
	for i := range from {
		s.few[i] = triplet(&from[i])
	}
	return s.few[:n]
}

// mostSegments is the largest number of segments that this library accepts. It does not read
// the segments of a post with more, since their number may be wrong.
const mostSegments = 64

func manySegments(iov *C.dg_lmr_triplet, n C.int32_t) []dat.LMRTriplet {
	all := make([]dat.LMRTriplet, n)
	from := sliceAt(iov, int(n))
	for i := range all {
		all[i] = triplet(&from[i])
	}
	return all
}

// triplet converts a triplet of the program; NULL becomes a value that is not used: see outOf.
func triplet(t *C.dg_lmr_triplet) dat.LMRTriplet {
	if t == nil {
		return dat.LMRTriplet{}
	}
	return dat.LMRTriplet{LMRContext: dat.LMRContext(t.lmr_context), VirtualAddress: dat.Vaddr(t.virtual_address),
		SegmentLength: dat.Vlen(t.segment_length)}
}

// remote is triplet for one of the peer.
func remote(t *C.dg_rmr_triplet) dat.RMRTriplet {
	if t == nil {
		return dat.RMRTriplet{}
	}
	return dat.RMRTriplet{RMRContext: dat.RMRContext(t.rmr_context), TargetAddress: dat.Vaddr(t.virtual_address),
		SegmentLength: dat.Vlen(t.segment_length)}
}

// posted finishes a post. slot is the slot of the inbox that receives the completion, which
// may be there already.
func posted(ret dat.Return, slot C.uint32_t) C.uint {
	if ret != dat.Success {
		return code(ret)
	}
	if slot != 0 {
		inboxes.at(slot).posted()
	}
	return 0
}

func number(cookie C.uint64_t) dat.DTOCookie { return dat.DTOCookie{As64: uint64(cookie)} }

//export goEPPostSend
func goEPPostSend(ep C.uint64_t, slot C.uint32_t, n C.int32_t, iov *C.dg_lmr_triplet, cookie C.uint64_t, flags C.uint) C.uint {
	var s segments
	return posted(dat.EPPostSend(dat.EPHandle(ep), dat.Count(n), s.of(iov, n), number(cookie), dat.CompletionFlags(flags)), slot)
}

//export goEPPostSendWithInvalidate
func goEPPostSendWithInvalidate(ep C.uint64_t, slot C.uint32_t, n C.int32_t, iov *C.dg_lmr_triplet, cookie C.uint64_t, flags, invalidate, key C.uint) C.uint {
	var s segments
	return posted(dat.EPPostSendWithInvalidate(dat.EPHandle(ep), dat.Count(n), s.of(iov, n), number(cookie),
		dat.CompletionFlags(flags), invalidate != 0, dat.RMRContext(key)), slot)
}

//export goEPPostRecv
func goEPPostRecv(ep C.uint64_t, n C.int32_t, iov *C.dg_lmr_triplet, cookie C.uint64_t, flags C.uint) C.uint {
	var s segments
	return code(dat.EPPostRecv(dat.EPHandle(ep), dat.Count(n), s.of(iov, n), number(cookie), dat.CompletionFlags(flags)))
}

//export goSRQPostRecv
func goSRQPostRecv(srq C.uint64_t, n C.int32_t, iov *C.dg_lmr_triplet, cookie C.uint64_t) C.uint {
	var s segments
	return code(dat.SRQPostRecv(dat.SRQHandle(srq), dat.Count(n), s.of(iov, n), number(cookie)))
}

//export goEPPostRDMARead
func goEPPostRDMARead(ep C.uint64_t, slot C.uint32_t, n C.int32_t, iov *C.dg_lmr_triplet, cookie C.uint64_t, from *C.dg_rmr_triplet, flags C.uint) C.uint {
	var s segments
	r := remote(from)
	return posted(dat.EPPostRDMARead(dat.EPHandle(ep), dat.Count(n), s.of(iov, n), number(cookie), outOf(&r, from), dat.CompletionFlags(flags)), slot)
}

//export goEPPostRDMAWrite
func goEPPostRDMAWrite(ep C.uint64_t, slot C.uint32_t, n C.int32_t, iov *C.dg_lmr_triplet, cookie C.uint64_t, to *C.dg_rmr_triplet, flags C.uint) C.uint {
	var s segments
	r := remote(to)
	return posted(dat.EPPostRDMAWrite(dat.EPHandle(ep), dat.Count(n), s.of(iov, n), number(cookie), outOf(&r, to), dat.CompletionFlags(flags)), slot)
}

//export goEPPostRDMAReadToRMR
func goEPPostRDMAReadToRMR(ep C.uint64_t, slot C.uint32_t, local *C.dg_rmr_triplet, cookie C.uint64_t, from *C.dg_rmr_triplet, flags C.uint) C.uint {
	l, r := remote(local), remote(from)
	return posted(dat.EPPostRDMAReadToRMR(dat.EPHandle(ep), outOf(&l, local), number(cookie), outOf(&r, from), dat.CompletionFlags(flags)), slot)
}

//export goIBPostAtomic
func goIBPostAtomic(ep C.uint64_t, slot C.uint32_t, swap C.int, one, two C.uint64_t, local *C.dg_lmr_triplet, cookie C.uint64_t, at *C.dg_rmr_triplet, flags C.uint) C.uint {
	l, r := triplet(local), remote(at)
	h, c, f := dat.EPHandle(ep), number(cookie), dat.CompletionFlags(flags)
	if swap != 0 {
		return posted(dat.IBPostCmpAndSwap(h, uint64(one), uint64(two), outOf(&l, local), c, outOf(&r, at), f), slot)
	}
	return posted(dat.IBPostFetchAndAdd(h, uint64(one), outOf(&l, local), c, outOf(&r, at), f), slot)
}

//export goIBPostRDMAWriteImmed
func goIBPostRDMAWriteImmed(ep C.uint64_t, slot C.uint32_t, n C.int32_t, iov *C.dg_lmr_triplet, cookie C.uint64_t, to *C.dg_rmr_triplet, immediate, flags C.uint) C.uint {
	var s segments
	r := remote(to)
	return posted(dat.IBPostRDMAWriteImmed(dat.EPHandle(ep), dat.Count(n), s.of(iov, n), number(cookie), outOf(&r, to), uint32(immediate),
		dat.CompletionFlags(flags)), slot)
}
