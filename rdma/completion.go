package rdma

import (
	"github.com/godapl/godapl/rdma/mem"
)

// Completion is the result of a posted operation (uDAPL: DAT_DTO_COMPLETION_EVENT_DATA and
// DAT_RMR_BIND_COMPLETION_EVENT_DATA).
type Completion struct {
	// Endpoint is the endpoint on which the operation was posted. For a receive of a shared
	// queue it is the endpoint on which the message arrived.
	Endpoint *Endpoint
	// Cookie is the cookie of the post.
	Cookie uint64
	// Length is the number of bytes transferred. Meaningful with StatusOK only.
	Length int
	// Window is the window that was bound or unbound, with OpBind.
	Window *mem.Window
	// Immediate is the peer's immediate data, with OpRecvImm and OpRecvWriteImm.
	Immediate uint32
	// Invalidated is the key that the peer revoked, with OpRecvInvalidate.
	Invalidated mem.Key
	// Vendor is the device's own error code.
	Vendor uint32
	Op     Op
	Status Status
	// Flags are the flags of the post. NoWake also marks a receive of a message that was not
	// solicited, on an endpoint with SolicitedOnly.
	Flags Flags
}

// Err is nil if the operation succeeded. Otherwise it is an *Error with ErrWork, the status,
// and the usual cause and remedy in its detail. It names the connection by its peer and the
// endpoint's tag. If the endpoint was reset, it has had several connections, and the error
// names the endpoint instead.
func (c Completion) Err() error {
	if c.Status == StatusOK {
		return nil
	}
	return c.failure()
}

// failure is a separate function so that Err is inlined and the completion is not copied.
func (c *Completion) failure() error { return workError(c, c.Endpoint.completed()) }
