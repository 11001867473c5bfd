package ibv

// GetDeviceList is ibv_get_device_list: the devices that have a driver. They
// stay valid until FreeDeviceList, or as long as they are open.
func (l *Lib) GetDeviceList() (DeviceList, Errno) {
	n, b, e := scratch[int32]()
	if e != 0 {
		return DeviceList{}, e
	}
	defer b.release()
	addr, e := call(l.getDeviceList, b.addr, 0, 0, 0, 0).pointer()
	if e != 0 {
		return DeviceList{}, e
	}
	list := DeviceList{addr: addr}
	if *n > 0 {
		list.Devices = append(list.Devices, view[Device](addr, int(*n))...)
	}
	return list, 0
}

// DeviceList is the result of [Lib.GetDeviceList].
type DeviceList struct {
	Devices []Device
	addr    uintptr
}

// FreeDeviceList is ibv_free_device_list.
func (l *Lib) FreeDeviceList(list DeviceList) {
	if list.addr != 0 {
		call1(l.freeDeviceList, list.addr)
	}
}

// OpenDevice is ibv_open_device.
func (l *Lib) OpenDevice(d Device) (Context, Errno) {
	p, e := call1(l.openDevice, d).pointer()
	return Context(p), e
}

// CloseDevice is ibv_close_device, for what [Lib.OpenDevice] opened.
func (l *Lib) CloseDevice(c Context) Errno { return call1(l.closeDevice, c).verbs() }

// QueryDevice is ibv_query_device.
func (l *Lib) QueryDevice(c Context) (DeviceAttr, Errno) {
	a, b, e := scratch[DeviceAttr]()
	if e != 0 {
		return DeviceAttr{}, e
	}
	defer b.release()
	e = call2(l.queryDevice, c, b.addr).verbs()
	return *a, e
}

// QueryPort is ibv_query_port, for a port counted from 1. PortCapFlags2 stays
// zero: the function that the library exports does not know it.
func (l *Lib) QueryPort(c Context, port int) (PortAttr, Errno) {
	a, b, e := scratch[PortAttr]()
	if e != 0 {
		return PortAttr{}, e
	}
	defer b.release()
	e = call3(l.queryPort, c, uintptr(port), b.addr).verbs()
	return *a, e
}

// QueryGID is ibv_query_gid: entry index of a port's table.
func (l *Lib) QueryGID(c Context, port, index int) (GID, Errno) {
	g, b, e := scratch[GID]()
	if e != 0 {
		return GID{}, e
	}
	defer b.release()
	e = call(l.queryGID, uintptr(c), uintptr(port), uintptr(index), b.addr, 0).verbs()
	return *g, e
}

// GetAsyncEvent is ibv_get_async_event. With [Context.AsyncFD] set non-blocking
// it is EAGAIN where there is none. Every event is to be given to AckAsyncEvent.
func (l *Lib) GetAsyncEvent(c Context) (AsyncEvent, Errno) {
	ev, b, e := scratch[AsyncEvent]()
	if e != 0 {
		return AsyncEvent{}, e
	}
	defer b.release()
	e = call2(l.getAsyncEvent, c, b.addr).verbs()
	return *ev, e
}

// AckAsyncEvent is ibv_ack_async_event. Destroying the object of an event waits
// for it.
func (l *Lib) AckAsyncEvent(event AsyncEvent) Errno {
	ev, b, e := scratch[AsyncEvent]()
	if e != 0 {
		return e
	}
	defer b.release()
	*ev = event
	call1(l.ackAsyncEvent, b.addr)
	return 0
}

// WCStatusString is ibv_wc_status_str.
func (l *Lib) WCStatusString(s WCStatus) string {
	return cStringAt(call1(l.wcStatusStr, uintptr(s)).value, 256)
}

// EventTypeString is ibv_event_type_str.
func (l *Lib) EventTypeString(t EventType) string {
	return cStringAt(call1(l.eventTypeStr, uintptr(t)).value, 256)
}
