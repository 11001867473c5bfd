package status

// Op is what a completion is about (uDAPL 2.0: DAT_DTOS).
type Op uint8

// The operations that a completion can report. The comments name the posts of
// package rdma.
const (
	OpNone           Op = iota // no operation: the zero value
	OpSend                     // PostSend
	OpSendInvalidate           // PostSend with Send.Invalidate
	OpSendImm                  // PostSend with WithImmediate
	OpWrite                    // PostWrite
	OpWriteImm                 // PostWrite with WithImmediate: consumes a receive of the peer
	OpRead                     // PostRead
	OpFetchAdd                 // PostFetchAdd
	OpCompareSwap              // PostCompareSwap
	OpBind                     // PostBind, to bind or to unbind
	// OpRecv is a receive that took a send.
	OpRecv
	// OpRecvInvalidate took a send that revoked Completion.Invalidated.
	OpRecvInvalidate
	// OpRecvImm took a send with immediate data.
	OpRecvImm
	// OpRecvWriteImm was taken by a write with immediate data; the receive's
	// memory is untouched.
	OpRecvWriteImm
)

var opNames = [...]string{
	OpNone: "none", OpSend: "send", OpSendInvalidate: "send-invalidate", OpSendImm: "send-immediate",
	OpWrite: "write", OpWriteImm: "write-immediate", OpRead: "read", OpFetchAdd: "fetch-add",
	OpCompareSwap: "compare-swap", OpBind: "bind", OpRecv: "receive", OpRecvInvalidate: "receive-invalidate",
	OpRecvImm: "receive-immediate", OpRecvWriteImm: "receive-write-immediate",
}

// String returns the name of the operation: "write-immediate".
func (o Op) String() string {
	if int(o) < len(opNames) {
		return opNames[o]
	}
	return "unknown operation"
}

// IsRecv reports whether the operation is a receive.
func (o Op) IsRecv() bool { return o >= OpRecv }
