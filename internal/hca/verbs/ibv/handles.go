package ibv

// Handles are the addresses of structures that belong to the libraries. Zero
// is no object. Using one after its object was destroyed is as wrong as in C.
type (
	// Device is a struct ibv_device.
	Device uintptr
	// Context is a struct ibv_context: an opened device.
	Context uintptr
	// PD is a struct ibv_pd, a protection domain.
	PD uintptr
	// MR is a struct ibv_mr, registered memory.
	MR uintptr
	// MW is a struct ibv_mw, a memory window.
	MW uintptr
	// CompChannel is a struct ibv_comp_channel.
	CompChannel uintptr
	// CQ is a struct ibv_cq, a completion queue.
	CQ uintptr
	// SRQ is a struct ibv_srq, a shared receive queue.
	SRQ uintptr
	// QP is a struct ibv_qp, a queue pair.
	QP uintptr
	// EventChannel is a struct rdma_event_channel.
	EventChannel uintptr
	// ID is a struct rdma_cm_id.
	ID uintptr
)
