package rdma

// AsyncKind is the kind of an asynchronous error or event (uDAPL: DAT_EVENT_NUMBER).
type AsyncKind uint8

const (
	// AsyncAdapterFailed: the adapter has failed for good (DAT_ASYNC_ERROR_IA_CATASTROPHIC).
	AsyncAdapterFailed AsyncKind = iota + 1
	// AsyncOverflow: a completion queue or dispatcher lost events; its
	// endpoints are broken (DAT_ASYNC_ERROR_EVD_OVERFLOW).
	AsyncOverflow
	// AsyncEndpointBroken: an endpoint had an error that no completion reports, or that a
	// completion reports only in part, such as an access to registered memory that the system
	// refused (ErrPrivileges) (DAT_ASYNC_ERROR_EP_BROKEN).
	AsyncEndpointBroken
	// AsyncSharedReceiveFailed: a shared receive queue has failed.
	AsyncSharedReceiveFailed
	// AsyncLowWatermark: a shared receive queue has fewer receives than its
	// watermark (DAT_SRQ_LOW_WATERMARK_EVENT).
	AsyncLowWatermark
	// AsyncLastReceive: an endpoint with a shared receive queue has ended and returned its
	// last receive.
	AsyncLastReceive
	// AsyncPortDown and AsyncPortUp: the link state of the port has changed.
	AsyncPortDown
	AsyncPortUp // see AsyncPortDown
	// AsyncHighWatermark: an endpoint holds more receives than the soft watermark of
	// Endpoint.SetWatermarks (DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT).
	AsyncHighWatermark
	// AsyncCaptureEnded: a capture ended because its disk was full, too slow or failed.
	// Connections are not affected.
	AsyncCaptureEnded
)

// String returns the name of the kind: "overflow", "low watermark" and so on.
func (k AsyncKind) String() string {
	names := [...]string{"unknown", "adapter failed", "overflow", "endpoint broken", "shared receive queue failed",
		"low watermark", "last receive", "port down", "port up", "high watermark", "capture ended"}
	if int(k) < len(names) {
		return names[k]
	}
	return names[0]
}

// routine reports whether the event also occurs in normal operation.
func (k AsyncKind) routine() bool { return k == AsyncLastReceive }

// AsyncError is an error or a change of state that no call can return (uDAPL:
// DAT_ASYNCH_ERROR_EVENT_DATA). At most one of the three objects is set; none is set if the
// event concerns the adapter itself.
type AsyncError struct {
	Kind            AsyncKind
	Adapter         *Adapter
	Endpoint        *Endpoint
	CompletionQueue *CompletionQueue
	SharedReceive   *SharedReceiveQueue
	// Err is the cause; nil for a change of state.
	Err error
}
