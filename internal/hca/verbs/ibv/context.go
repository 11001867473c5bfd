package ibv

import "structs"

// contextOps is struct ibv_context_ops. Members that libibverbs keeps only for
// old programs (_compat_...) are never called here.
type contextOps struct {
	_           structs.HostLayout
	_           [7]uintptr
	allocMW     uintptr
	bindMW      uintptr
	deallocMW   uintptr
	_           uintptr
	pollCQ      uintptr
	reqNotifyCQ uintptr
	_           [7]uintptr
	postSRQRecv uintptr
	_           [4]uintptr
	postSend    uintptr
	postRecv    uintptr
	_           [5]uintptr
}

type contextLayout struct {
	_              structs.HostLayout
	device         Device
	ops            contextOps
	cmdFD          int32
	asyncFD        int32
	numCompVectors int32
}

// Device gives the device that was opened.
func (c Context) Device() Device { return at[contextLayout](c).device }

// AsyncFD gives the file descriptor of asynchronous events, which the library
// owns.
func (c Context) AsyncFD() int { return int(at[contextLayout](c).asyncFD) }

// NumCompVectors gives how many completion vectors (interrupts) there are.
func (c Context) NumCompVectors() int { return int(at[contextLayout](c).numCompVectors) }

// Ops is what the inline functions of verbs.h call through: functions of the
// device's driver. It does not change while the device is open.
type Ops struct {
	allocMW, bindMW, deallocMW    uintptr
	pollCQ, reqNotifyCQ           uintptr
	postSend, postRecv, postSRQRe uintptr
}

// Ops reads the context's operation table.
func (c Context) Ops() *Ops {
	t := &at[contextLayout](c).ops
	return &Ops{
		allocMW: t.allocMW, bindMW: t.bindMW, deallocMW: t.deallocMW,
		pollCQ: t.pollCQ, reqNotifyCQ: t.reqNotifyCQ,
		postSend: t.postSend, postRecv: t.postRecv, postSRQRe: t.postSRQRecv,
	}
}
