package ibv

// The methods here read what the Set methods have written, for libraries that are
// written in Go.

// RDMA gives the remote memory of an RDMA read or write.
func (w *SendWR) RDMA() (addr uint64, rkey uint32) { return w.remoteAddr, first32(w.compareAdd) }

// Atomic gives the remote word of an atomic operation, and its operands: what is added,
// or what is compared and what replaces it.
func (w *SendWR) Atomic() (addr uint64, rkey uint32, compareAdd, swap uint64) {
	return w.remoteAddr, w.atomicRKey, w.compareAdd, w.swap
}

// Bind gives the window that is bound, its new key and what it is bound to.
func (w *SendWR) Bind() (mw MW, rkey uint32, info MWBindInfo) {
	return w.bindMW, w.bindRKey, w.bindInfo
}

// NewAsyncEvent makes an event about an object, or about a port.
func NewAsyncEvent(t EventType, object uintptr, port int) AsyncEvent {
	ev := AsyncEvent{Type: t, element: uint64(object)}
	if object == 0 {
		ev.element = low32(uint32(port))
	}
	return ev
}
