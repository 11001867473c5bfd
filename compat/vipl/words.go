package vipl

// Bits of ControlSegment.Control.
const (
	ControlOpMask      = 0x0003
	ControlOpSendrecv  = 0x0000
	ControlOpRdmawrite = 0x0001
	ControlOpRdmaread  = 0x0002
	ControlOpReserved  = 0x0003
	// ControlImmediate sends ImmediateData along with a message or an RDMA write.
	ControlImmediate = 0x0004
	// ControlQfence starts the descriptor when all earlier RDMA reads are complete.
	ControlQfence   = 0x0008
	ControlReserved = 0xFFF0
)

// Bits of ControlSegment.Status. The library sets StatusDone last.
const (
	StatusDone = 0x00000001
	// StatusFormatError: the descriptor is malformed, or longer than the VI allows.
	StatusFormatError = 0x00000002
	// StatusProtectionError: a local segment is not registered, not wholly, with another
	// tag, or its pages do not allow it.
	StatusProtectionError = 0x00000004
	// StatusLengthError: the segments and Length differ, or a message was longer than its
	// receive.
	StatusLengthError = 0x00000008
	// StatusPartialError: part of the data moved. Not set here: what has moved is
	// undefined after any error.
	StatusPartialError = 0x00000010
	// StatusDescFlushedError: the connection ended before the descriptor was processed.
	StatusDescFlushedError = 0x00000020
	// StatusTransportError: the transport failed.
	StatusTransportError = 0x00000040
	// StatusRDMAProtError: the peer has refused access to its memory.
	StatusRDMAProtError = 0x00000080
	// StatusRemoteDescError: the peer had no receive, or one that did not fit.
	StatusRemoteDescError = 0x00000100
	StatusErrorMask       = 0x000001FE

	StatusOpMask = 0x00070000
	// StatusOpSend and the others tell what a descriptor did.
	StatusOpSend    = 0x00000000
	StatusOpReceive = 0x00010000
	// StatusOpRDMAWrite is a write of this side's.
	StatusOpRDMAWrite = 0x00020000
	// StatusOpRemoteRDMAWrite is a receive that an RDMA write with immediate data took.
	StatusOpRemoteRDMAWrite = 0x00030000
	StatusOpRDMARead        = 0x00040000
	// StatusImmediate: ImmediateData is the peer's.
	StatusImmediate = 0x00080000
	StatusReserved  = 0xFFF0FE00
)

// ErrorCode is the kind of an asynchronous error (VIP_ERROR_CODE).
type ErrorCode uint32

// Asynchronous errors.
const (
	// ErrorPostDesc: a posted descriptor could not be read. Never reported: the
	// post returns InvalidParameter.
	ErrorPostDesc ErrorCode = iota
	// ErrorConnLost: a connection has ended, by the peer's Disconnect too.
	ErrorConnLost
	// ErrorRecvqEmpty: a message came and no receive was posted.
	ErrorRecvqEmpty
	// ErrorVIOverrun: a completion queue was full. Its entries are lost, and the connections of
	// its VIs end: [Disconnect] gives all descriptors back. The queue is of no use any more.
	ErrorVIOverrun
	// ErrorRdmawProt: an RDMA write of the peer was refused.
	ErrorRdmawProt
	// ErrorRdmawData: an RDMA write of the peer was corrupt. Never reported: the
	// connection ends.
	ErrorRdmawData
	// ErrorRdmawAbort: an RDMA write of the peer was cut off. Never reported: the
	// connection ends.
	ErrorRdmawAbort
	// ErrorRdmarProt: an RDMA read of the peer was refused.
	ErrorRdmarProt
	// ErrorCompProt: the status of a descriptor could not be written. Never reported.
	ErrorCompProt
	// ErrorRDMATransport: the transport failed during an RDMA operation of the peer. Never
	// reported: the connection ends.
	ErrorRDMATransport
	// ErrorCatastrophic: the NIC has failed for good, which only devices do.
	ErrorCatastrophic
)

// String is the name that C has for the code.
func (c ErrorCode) String() string {
	return spell(uint64(c), []string{"VIP_ERROR_POST_DESC", "VIP_ERROR_CONN_LOST", "VIP_ERROR_RECVQ_EMPTY", "VIP_ERROR_VI_OVERRUN",
		"VIP_ERROR_RDMAW_PROT", "VIP_ERROR_RDMAW_DATA", "VIP_ERROR_RDMAW_ABORT", "VIP_ERROR_RDMAR_PROT", "VIP_ERROR_COMP_PROT",
		"VIP_ERROR_RDMA_TRANSPORT", "VIP_ERROR_CATASTROPHIC"}, "VIP_ERROR_CODE")
}
