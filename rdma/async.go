package rdma

// AsyncKind tells asynchronous errors apart.
type AsyncKind uint8

const (
	// AsyncAdapterFailed: nothing works any more
	// (DAT_ASYNC_ERROR_IA_CATASTROPHIC).
	AsyncAdapterFailed AsyncKind = iota + 1
	// AsyncOverflow: a completion queue or dispatcher lost events; its
	// endpoints are broken (DAT_ASYNC_ERROR_EVD_OVERFLOW).
	AsyncOverflow
	// AsyncEndpointBroken: something was wrong with an endpoint that no completion
	// tells (DAT_ASYNC_ERROR_EP_BROKEN), or tells in full: memory that the program has
	// registered could not be accessed (ErrPrivileges).
	AsyncEndpointBroken
	// AsyncSharedReceiveFailed: a shared receive queue broke.
	AsyncSharedReceiveFailed
	// AsyncLowWatermark: a shared receive queue has fewer receives than its
	// watermark (DAT_SRQ_LOW_WATERMARK_EVENT).
	AsyncLowWatermark
	// AsyncLastReceive: an endpoint with a shared receive queue has ended and
	// given back its last receive.
	AsyncLastReceive
	// AsyncPortDown and AsyncPortUp: the cable, so to speak.
	AsyncPortDown
	AsyncPortUp // see AsyncPortDown
	// AsyncHighWatermark: an endpoint holds more receives than the soft mark of
	// Endpoint.SetWatermarks (DAT_SRQ_SOFT_HIGH_WATERMARK_EVENT).
	AsyncHighWatermark
	// AsyncCaptureEnded: the disk of a capture was full, too slow or failed. Nothing
	// else has happened.
	AsyncCaptureEnded
)

// String names the kind: "overflow", "low watermark" and so on.
func (k AsyncKind) String() string {
	names := [...]string{"unknown", "adapter failed", "overflow", "endpoint broken", "shared receive queue failed",
		"low watermark", "last receive", "port down", "port up", "high watermark", "capture ended"}
	if int(k) < len(names) {
		return names[k]
	}
	return names[0]
}

// routine tells what happens to healthy programs all the time.
func (k AsyncKind) routine() bool { return k == AsyncLastReceive }

// AsyncError is an error or change that no call can return (uDAPL:
// DAT_ASYNCH_ERROR_EVENT_DATA). At most one of the three objects is set; none
// for the adapter itself.
type AsyncError struct {
	Kind            AsyncKind
	Adapter         *Adapter
	Endpoint        *Endpoint
	CompletionQueue *CompletionQueue
	SharedReceive   *SharedReceiveQueue
	// Err is why; nil for a mere change.
	Err error
}
