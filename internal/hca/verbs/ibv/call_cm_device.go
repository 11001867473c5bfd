package ibv

// GetDevices is rdma_get_devices: the open devices that connections can use, the same
// contexts at every call. Keep the list until none of its contexts is used any more:
// the library closes an unplugged device, and its context, at the next call of
// GetDevices when no list and no ID refers to it.
func (l *Lib) GetDevices() (ContextList, Errno) {
	n, b, e := scratch[int32]()
	if e != 0 {
		return ContextList{}, e
	}
	defer b.release()
	addr, e := call1(l.getDevices, b.addr).pointer()
	if e != 0 {
		return ContextList{}, e
	}
	list := ContextList{addr: addr}
	if *n > 0 {
		list.Contexts = append(list.Contexts, view[Context](addr, int(*n))...)
	}
	return list, 0
}

// ContextList is the result of [Lib.GetDevices].
type ContextList struct {
	Contexts []Context
	addr     uintptr
}

// FreeDevices is rdma_free_devices.
func (l *Lib) FreeDevices(list ContextList) {
	if list.addr != 0 {
		call1(l.freeDevices, list.addr)
	}
}
