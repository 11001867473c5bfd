package hca

import "github.com/godapl/godapl/rdma/status"

// Op is a kind of work request, and in a completion what was done.
type Op = status.Op

// Operations. Those behind OpRecv are completions of receives.
const (
	OpNone           = status.OpNone
	OpSend           = status.OpSend
	OpSendInvalidate = status.OpSendInvalidate // OpSend that also revokes a key of the peer
	OpSendImm        = status.OpSendImm
	OpWrite          = status.OpWrite
	OpWriteImm       = status.OpWriteImm // OpWrite that also consumes a receive of the peer
	OpRead           = status.OpRead
	OpFetchAdd       = status.OpFetchAdd
	OpCompareSwap    = status.OpCompareSwap
	OpBind           = status.OpBind // binds a window, or unbinds it

	OpRecv           = status.OpRecv           // by a send
	OpRecvInvalidate = status.OpRecvInvalidate // by a send that revoked WC.RKey
	OpRecvImm        = status.OpRecvImm        // by a send with immediate data
	OpRecvWriteImm   = status.OpRecvWriteImm   // by a write with immediate data; the receive's memory is untouched
)

// Flags modify one work request. They come back in its completion.
type Flags uint16

const (
	// Suppress leaves no entry if the request succeeds (verbs: no signal).
	Suppress Flags = 1 << iota
	// Quiet makes an entry that wakes no waiter (uDAPL UNSIGNALLED). Errors
	// always wake. In a completion it says that this entry has caused no
	// Notify.
	Quiet
	// Solicited makes the peer's receive notify if the peer's queue pair
	// notifies of solicited receives only.
	Solicited
	// Fence starts the request only after all earlier reads and atomics of the
	// queue pair are complete.
	Fence
	// Private is there for the layer above. It tells the adapter only that a call waits for the
	// request, which is therefore not kept back behind a backlog: see CQConfig.Backlog.
	Private
)

// Segment is one piece of local memory.
type Segment struct {
	Addr uint64
	Len  uint32
	Key  Key
}

// SendWR is a work request for the send side. It is passed by value, so that
// a post allocates nothing. The adapter copies what it needs before the post
// returns, the list of segments included.
type SendWR struct {
	// ID comes back in the completion.
	ID    uint64
	Op    Op
	Flags Flags
	// Imm is the immediate data of OpSendImm and OpWriteImm.
	Imm uint32
	// Local is the first local segment; More are those behind it. A segment of
	// length 0 is skipped unchecked. Sends and writes gather from them, reads
	// scatter into them, atomics return the former value in Local (8 bytes).
	Local Segment
	More  []Segment
	// Remote and RKey name the peer's memory for writes, reads and atomics.
	// RKey is the key to revoke for OpSendInvalidate.
	Remote uint64
	RKey   Key
	// Operand is the addend of OpFetchAdd and the new value of OpCompareSwap.
	Operand uint64
	// Compare is what OpCompareSwap compares with.
	Compare uint64
	// Bind is set for OpBind only. It belongs to the adapter until completion.
	Bind *Bind
}

// Bind says what a window shall cover. A Len of 0 unbinds; the rest is ignored
// then.
type Bind struct {
	MW     MW
	MR     MR
	Addr   uint64
	Len    uint64
	Access Access // RemoteRead, RemoteWrite, RemoteAtomic
	// Key is set by the post: the key that is good once the bind has
	// completed. Later requests of the same queue pair may already send it.
	Key Key
}

// RecvWR is a work request for the receive side.
type RecvWR struct {
	ID    uint64
	Flags Flags // Quiet and Private
	Local Segment
	More  []Segment
}

// WC is an entry of a completion queue.
type WC struct {
	// ID and Flags are the work request's, with Quiet added to a receive that
	// did not notify and removed from a failure. Owner is its queue pair's
	// QPConfig.Owner.
	ID    uint64
	Owner any
	// Len is the number of bytes transferred: received, or for the other
	// operations as posted. Meaningful with StatusOK only, and for
	// OpRecvWriteImm only where the transport can tell.
	Len uint64
	// Imm is the immediate data of OpRecvImm and OpRecvWriteImm; RKey the
	// revoked key of OpRecvInvalidate.
	Imm  uint32
	RKey Key
	// Vendor is the device's own error code.
	Vendor uint32
	Op     Op
	Status Status
	Flags  Flags
}

// Status is how a work request ended. Every one but StatusOK and StatusFlushed
// means that the connection is broken.
type Status = status.Status

// Statuses.
const (
	StatusOK               = status.StatusOK
	StatusFlushed          = status.StatusFlushed
	StatusLocalLength      = status.StatusLocalLength
	StatusLocalQP          = status.StatusLocalEndpoint
	StatusLocalProtection  = status.StatusLocalProtection
	StatusBindFailed       = status.StatusBindFailed
	StatusBadResponse      = status.StatusBadResponse
	StatusRemoteAccess     = status.StatusRemoteAccess
	StatusRemoteInvalid    = status.StatusRemoteInvalid
	StatusRemoteOp         = status.StatusRemoteOp
	StatusTransport        = status.StatusTransport
	StatusReceiverNotReady = status.StatusReceiverNotReady
	StatusFatal            = status.StatusFatal
)
