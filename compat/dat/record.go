package dat

import (
	"github.com/godapl/godapl/rdma"
)

// record is a queued event in compact form, common to all kinds.
type record struct {
	number EventNumber
	status uint32 // of an operation; reason of an asynchronous error
	handle Handle // the subject of the event
	cookie uint64
	length uint64
	op     DTOS
	key    uint32 // that a peer has revoked; immediate data
	ptr    any    // a cookie's pointer, private data, a request, a software pointer
}

// request is the additional data of a connection request event.
type request struct {
	cr       *cr
	sp       SPHandle
	local    IAAddressPtr
	connQual ConnQual
}

// fill writes the event. It is overwritten completely.
func (r *record) fill(ev *Event, from EVDHandle) {
	if r.number == DTOCompletionEvent && ev.EventNumber == DTOCompletionEvent {
		// Successive completions are written into the same event: the first one has set
		// the other members.
		ev.EVDHandle = from
		r.fillDTO(&ev.EventData.DTOCompletionEventData)
		return
	}
	*ev = Event{EventNumber: r.number, EVDHandle: from}
	switch r.number {
	case DTOCompletionEvent:
		r.fillDTO(&ev.EventData.DTOCompletionEventData)
	case RMRBindCompletionEvent:
		ev.EventData.RMRCompletionEventData = RMRBindCompletionEventData{RMRHandle: RMRHandle(r.handle),
			UserCookie: Context{r.cookie, r.ptr}, Status: DTOCompletionStatus(r.status)}
	case IBDTOEvent:
		r.fillDTO(&ev.EventData.DTOCompletionEventData)
		ev.EventExtensionData = r.extended()
	case ConnectionRequestEvent:
		q := r.ptr.(*request)
		q.cr.told.Store(true)
		ev.EventData.CRArrivalEventData = CRArrivalEventData{SPHandle: q.sp, LocalIAAddressPtr: q.local,
			ConnQual: q.connQual, CRHandle: CRHandle(r.handle)}
	case SoftwareEvent:
		ev.EventData.SoftwareEventData.Pointer = r.ptr
	default:
		if r.number >= AsyncErrorEVDOverflow {
			ev.EventData.AsynchErrorEventData = AsynchErrorEventData{r.handle, Count(r.status)}
			return
		}
		data, _ := r.ptr.([]byte)
		ev.EventData.ConnectEventData = ConnectionEventData{EPHandle(r.handle), Count(len(data)), data}
	}
}

func (r *record) fillDTO(d *DTOCompletionEventData) {
	d.EPHandle = EPHandle(r.handle)
	d.UserCookie.As64 = r.cookie
	d.UserCookie.AsPtr = r.ptr
	d.Status = DTOCompletionStatus(r.status)
	d.TransferedLength = Vlen(r.length)
	d.Operation = r.op
	d.RMRContext = 0
	if r.op == DTOReceiveWithInvalidate {
		d.RMRContext = RMRContext(r.key)
	}
}

// extended is the extended part of an InfiniBand event.
func (r *record) extended() IBExtensionEventData {
	x := IBExtensionEventData{Status: OpSuccess, ImmedData: r.key}
	if DTOCompletionStatus(r.status) != DTOSuccess {
		x.Status = IBOpErr
	}
	switch r.op {
	case IBDTOFetchAdd:
		x.Type = IBFetchAndAdd
	case IBDTOCmpSwap:
		x.Type = IBCmpAndSwap
	case IBDTORDMAWriteImmed:
		x.Type = IBRDMAWriteImmed
	case IBDTORecvImmed:
		x.Type = IBRDMAWriteImmedData
	case IBDTORecvMsgImmed:
		x.Type = IBRecvImmedData
	}
	return x
}

// operations by those of the native API, and the event that tells of each.
var operations = [...]struct {
	op     DTOS
	number EventNumber
}{
	rdma.OpSend:           {DTOSend, DTOCompletionEvent},
	rdma.OpSendInvalidate: {DTOSend, DTOCompletionEvent},
	rdma.OpSendImm:        {DTOSend, DTOCompletionEvent},
	rdma.OpWrite:          {DTORDMAWrite, DTOCompletionEvent},
	rdma.OpWriteImm:       {IBDTORDMAWriteImmed, IBDTOEvent},
	rdma.OpRead:           {DTORDMARead, DTOCompletionEvent},
	rdma.OpFetchAdd:       {IBDTOFetchAdd, IBDTOEvent},
	rdma.OpCompareSwap:    {IBDTOCmpSwap, IBDTOEvent},
	rdma.OpBind:           {DTOBindMW, RMRBindCompletionEvent},
	rdma.OpRecv:           {DTOReceive, DTOCompletionEvent},
	rdma.OpRecvInvalidate: {DTOReceiveWithInvalidate, DTOCompletionEvent},
	rdma.OpRecvImm:        {IBDTORecvMsgImmed, IBDTOEvent},
	rdma.OpRecvWriteImm:   {IBDTORecvImmed, IBDTOEvent},
}

// statuses by those of the native API.
var statuses = [...]DTOCompletionStatus{
	rdma.StatusOK: DTOSuccess, rdma.StatusFlushed: DTOErrFlushed, rdma.StatusLocalLength: DTOErrLocalLength,
	rdma.StatusLocalEndpoint: DTOErrLocalEP, rdma.StatusLocalProtection: DTOErrLocalProtection,
	rdma.StatusBindFailed: RMROperationFailed, rdma.StatusBadResponse: DTOErrBadResponse,
	rdma.StatusRemoteAccess: DTOErrRemoteAccess, rdma.StatusRemoteInvalid: DTOErrRemoteResponder,
	rdma.StatusRemoteOp: DTOErrRemoteResponder, rdma.StatusTransport: DTOErrTransport,
	rdma.StatusReceiverNotReady: DTOErrReceiverNotReady, rdma.StatusFatal: DTOErrTransport,
}

// completed makes a record of a completion.
func (a *ia) completed(r *record, c *rdma.Completion) {
	o := &operations[c.Op]
	r.number, r.op = o.number, o.op
	r.status = uint32(statuses[c.Status])
	r.handle = Handle(c.Endpoint.Tag())
	r.cookie = c.Cookie
	r.length = uint64(c.Length)
	if placed(c.Cookie) {
		cookie := a.cookies.take(c.Cookie)
		r.cookie, r.ptr = cookie.As64, cookie.AsPtr
	}
	switch c.Op {
	case rdma.OpBind:
		if b, ok := r.ptr.(*binding); ok {
			r.handle, r.cookie, r.ptr = b.rmr.handle, b.cookie.As64, b.cookie.AsPtr
			b.completed(c.Status == rdma.StatusOK)
		}
	case rdma.OpRecvInvalidate:
		r.key = uint32(c.Invalidated)
		a.revoked(RMRContext(r.key))
	case rdma.OpRecvImm, rdma.OpRecvWriteImm:
		r.key = c.Immediate
	}
}
