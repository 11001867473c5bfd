package dat

import (
	"sync"

	"github.com/godapl/godapl/rdma"
)

// srq is a shared receive queue.
type srq struct {
	object
	pz  *pz
	q   *rdma.SharedReceiveQueue
	iov Count

	mu  sync.Mutex
	low Count

	former formerEPs
}

var badSRQ = failure(InvalidHandle, InvalidHandleSRQ)

// SRQCreate makes a shared receive queue (dat_srq_create, 1.2). The low watermark has
// to be [SRQLWDefault].
func SRQCreate(iaHandle IAHandle, pzHandle PZHandle, srqAttr *SRQAttr, srqHandle *SRQHandle) Return {
	a := getIA(iaHandle)
	if a == nil {
		return badIA
	}
	z := a.getPZ(pzHandle)
	switch {
	case z == nil:
		return badPZ
	case srqAttr == nil, srqAttr.MaxRecvDTOS <= 0, srqAttr.MaxRecvIOV <= 0, srqAttr.LowWatermark != SRQLWDefault:
		return badArg(3)
	case srqHandle == nil:
		return badArg(4)
	}
	s := &srq{pz: z, iov: srqAttr.MaxRecvIOV}
	s.ia, s.handle = a, srqs.Reserve()
	q, err := z.zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{Depth: int(srqAttr.MaxRecvDTOS), Segments: int(s.iov),
		Low: func(*rdma.SharedReceiveQueue) { a.tell(AsyncErrorEPBroken, s.handle, SRQLowWatermarkEvent) }})
	if err != nil {
		srqs.Cancel(s.handle)
		return result(err, ResourceSRQ, InvalidArg3, InvalidHandlePZ)
	}
	s.q = q
	srqs.Put(s.handle, s)
	if !a.add(s.handle, func() { srqs.Remove(s.handle) }) {
		srqs.Remove(s.handle)
		return badIA
	}
	*srqHandle = SRQHandle(s.handle)
	return Success
}

func getSRQ(h SRQHandle) *srq { return srqs.Get(Handle(h)) }

// SRQQuery returns the properties of a shared receive queue (dat_srq_query, 1.2).
func SRQQuery(srqHandle SRQHandle, srqParamMask SRQParamMask, srqParam *SRQParam) Return {
	s := getSRQ(srqHandle)
	switch {
	case s == nil:
		return badSRQ
	case srqParamMask&^SRQFieldAll != 0:
		return badArg(2)
	case srqParam == nil:
		return badArg(3)
	}
	available, outstanding := s.counts()
	s.mu.Lock()
	defer s.mu.Unlock()
	*srqParam = SRQParam{IAHandle(s.ia.handle), SRQStateOperational, PZHandle(s.pz.handle), Count(s.q.Depth()), s.iov, s.low,
		Count(available), Count(outstanding)}
	return Success
}

// SRQPostRecv posts a receive for the next endpoint that needs one (dat_srq_post_recv,
// 1.2). It completes on the receive dispatcher of that endpoint.
func SRQPostRecv(srqHandle SRQHandle, numSegments Count, localIOV []LMRTriplet, userCookie DTOCookie) Return {
	s := getSRQ(srqHandle)
	if s == nil {
		return badSRQ
	}
	p := post{arg: 2}
	if ret := p.translate(s.ia, numSegments, localIOV, s.iov); ret != Success {
		return ret
	}
	defer p.end()
	recv := rdma.Recv{Cookie: userCookie.As64}
	recv.Into, recv.More = p.segments()
	var place uint64
	if userCookie.needsPlace() {
		place = s.ia.cookies.putFor(s, userCookie)
		recv.Cookie = place
	}
	err := s.q.PostRecv(recv)
	if err != nil && place != 0 {
		s.ia.cookies.take(place)
	}
	return result(err, PrivilegesWrite, ProtectionWrite, InvalidHandleSRQ, InvalidArg3)
}

// SRQResize changes how many receives fit (dat_srq_resize, 1.2). [InvalidState] if
// more are outstanding, or the low watermark is higher.
func SRQResize(srqHandle SRQHandle, srqMaxRecvDTO Count) Return {
	s := getSRQ(srqHandle)
	if s == nil {
		return badSRQ
	}
	if most := s.ia.attr.MaxSharedDepth; srqMaxRecvDTO <= 0 || most > 0 && int(srqMaxRecvDTO) > most {
		return badArg(2)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, outstanding := s.counts(); srqMaxRecvDTO < s.low || int(srqMaxRecvDTO) < outstanding {
		return failure(InvalidState, InvalidStateSRQInUse)
	}
	return result(s.q.Resize(int(srqMaxRecvDTO)), ResourceSRQ, InvalidStateSRQInUse, InvalidHandleSRQ, InvalidArg2)
}

// SRQSetLW sets and arms the low watermark (dat_srq_set_lw, 1.2): when fewer receives
// are left there is one asynchronous event. 0 is off.
func SRQSetLW(srqHandle SRQHandle, lowWatermark Count) Return {
	s := getSRQ(srqHandle)
	if s == nil {
		return badSRQ
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.q.SetLowWatermark(int(lowWatermark))
	if err == nil {
		s.low = lowWatermark
	}
	return result(err, InvalidArg2, InvalidHandleSRQ)
}

// SRQFree frees a shared receive queue (dat_srq_free, 1.2); receives that are left
// vanish. [InvalidState] while endpoints use it.
func SRQFree(srqHandle SRQHandle) Return {
	s := getSRQ(srqHandle)
	if s == nil {
		return badSRQ
	}
	if err := s.q.Close(); err != nil {
		return result(err, InvalidStateSRQInUse, InvalidHandleSRQ)
	}
	if !srqs.Remove(s.handle) {
		return badSRQ
	}
	s.ia.forget(s.handle)
	if s.ia.allTold() {
		s.ia.cookies.releaseOf(s)
	}
	return Success
}

// allTold reports that no completion is left that is not an event yet and may name a cookie's place.
func (a *ia) allTold() bool {
	for _, d := range a.completionEVDs() {
		if !d.settle() {
			return false
		}
	}
	return true
}
