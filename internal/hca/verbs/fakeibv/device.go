package fakeibv

import (
	"net/netip"
	"slices"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// device is a simulated device with one port.
type device struct {
	w       *World
	h       ibv.Device
	ctx     ibv.Context
	release func()
	addr    netip.Addr
	bell    *ibv.Bell
	events  []asyncEvent
	port    *lane
}

// asyncEvent is one that waits to be read.
type asyncEvent struct {
	ev    ibv.AsyncEvent
	owner *unacked
}

// unacked counts the events of an object that were read, less those acknowledged: the
// object is not destroyed before it is 0.
type unacked int

func (w *World) newDevice(name string, addr netip.Addr) *device {
	d := &device{w: w, h: ibv.NewDevice(name, ibv.TransportIB), addr: addr, bell: ibv.NewBell(), port: w.newLane()}
	d.ctx, d.release = ibv.NewContext(d.h, d.bell.FD(), ibv.Driver{
		AllocMW: w.in("ibv_alloc_mw", w.allocMW), DeallocMW: w.in("ibv_dealloc_mw", w.deallocMW), BindMW: w.in("ibv_bind_mw", w.bindMW),
		PollCQ: w.in("ibv_poll_cq", w.pollCQ), ReqNotifyCQ: w.in("ibv_req_notify_cq", w.reqNotify),
		PostSend: w.in("ibv_post_send", w.postSend), PostRecv: w.in("ibv_post_recv", w.postRecv),
		PostSRQRecv: w.in("ibv_post_srq_recv", w.postSRQRecv),
	})
	return d
}

func (d *device) free() {
	d.release()
	d.bell.Close()
	ibv.FreeObject(d.ctx)
	ibv.FreeObject(d.h)
}

func (w *World) deviceOf(c ibv.Context) *device {
	for _, d := range append(w.removed[:len(w.removed):len(w.removed)], w.devs...) {
		if d.ctx == c {
			return d
		}
	}
	return nil
}

// raise makes an asynchronous event about an object, in a lane of it.
func (w *World) raise(d *device, l *lane, ev ibv.AsyncEvent, owner *unacked) {
	w.do(l, func() {
		d.events = append(d.events, asyncEvent{ev, owner})
		d.bell.Ring()
	})
}

// retract takes the events of an object that is destroyed, and waits for those that were
// read.
func (w *World) retract(d *device, owner *unacked) {
	kept := d.events[:0]
	for _, e := range d.events {
		if e.owner != owner {
			kept = append(kept, e)
		}
	}
	d.events = kept
	for *owner > 0 {
		w.acked.Wait()
	}
}

const (
	maxWR  = 16384
	maxCQE = 65535
)

func (w *World) deviceCalls() map[string]function {
	list := func(a args, handle func(*device) uintptr) (uintptr, ibv.Errno) {
		memory, err := ibv.NewArray[uintptr](len(w.devs) + 1)
		if err != nil {
			return 0, ibv.ENOMEM
		}
		for i, d := range w.devs {
			memory.S[i] = handle(d)
		}
		if a[0] != 0 {
			ibv.View[int32](a[0], 1)[0] = int32(len(w.devs))
		}
		w.closes = append(w.closes, memory.Free) // the adapter may keep it for good
		return memory.Addr(0), 0
	}
	none := func(args) (uintptr, ibv.Errno) { return 0, 0 }
	return map[string]function{
		"rdma_get_devices": func(a args) (uintptr, ibv.Errno) {
			addr, e := list(a, func(d *device) uintptr { return uintptr(d.ctx) })
			w.lists[addr] = slices.Clone(w.devs)
			return addr, e
		},
		"rdma_free_devices": func(a args) (uintptr, ibv.Errno) {
			if w.lists[a[0]] == nil {
				w.fault("rdma_free_devices: no list of devices")
			}
			delete(w.lists, a[0])
			return 0, 0
		},
		"ibv_get_device_list": func(a args) (uintptr, ibv.Errno) {
			return list(a, func(d *device) uintptr { return uintptr(d.h) })
		},
		"ibv_free_device_list": none,
		"ibv_query_device": func(a args) (uintptr, ibv.Errno) {
			at := &ibv.View[ibv.DeviceAttr](a[1], 1)[0]
			*at = ibv.DeviceAttr{
				VendorID: w.cfg.Vendor, MaxMRSize: 1 << 40, MaxQP: 4096, MaxQPWR: maxWR, MaxSGE: 16, MaxSGERD: 16, MaxCQ: 4096, MaxCQE: maxCQE,
				MaxMR: 1 << 16, MaxPD: 4096, MaxQPRDAtom: 16, MaxQPInitRDAtom: 16, AtomicCap: ibv.AtomicGlob, MaxMW: 1 << 16,
				MaxSRQ: 1024, MaxSRQWR: maxWR, MaxSRQSGE: 16, PhysPortCnt: 1,
				Caps: ibv.DeviceMemWindow | ibv.DeviceMemWindowType2B | ibv.DeviceMemMgtExtensions | ibv.DeviceSRQResize,
			}
			copy(at.FWVer[:], "1.0")
			return 0, 0
		},
		"ibv_query_port": func(a args) (uintptr, ibv.Errno) {
			if a[1] != 1 {
				return num(ibv.EINVAL)
			}
			ibv.View[ibv.PortAttr](a[2], 1)[0] = ibv.PortAttr{
				State: ibv.PortActive, MaxMTU: ibv.MTU4096, ActiveMTU: ibv.MTU4096, MaxMsgSz: 1 << 30, LinkLayer: ibv.LinkLayerEthernet,
			}
			return 0, 0
		},
		"ibv_event_type_str": none,
		"rdma_event_str":     none,
		"ibv_wc_status_str":  none,
		"ibv_get_async_event": func(a args) (uintptr, ibv.Errno) {
			d := w.deviceOf(ibv.Context(a[0]))
			if len(d.events) == 0 {
				return ^uintptr(0), ibv.EAGAIN
			}
			e := d.events[0]
			d.events = d.events[1:]
			if e.owner != nil {
				*e.owner++
				w.reading = append(w.reading, e)
			}
			ibv.View[ibv.AsyncEvent](a[1], 1)[0] = e.ev
			return 0, 0
		},
		"ibv_ack_async_event": func(a args) (uintptr, ibv.Errno) {
			w.ackAsync(ibv.View[ibv.AsyncEvent](a[0], 1)[0])
			return 0, 0
		},
	}
}

// ackAsync acknowledges an event that was read.
func (w *World) ackAsync(ev ibv.AsyncEvent) {
	for i, e := range w.reading {
		if e.ev == ev {
			*e.owner--
			w.reading = append(w.reading[:i], w.reading[i+1:]...)
			w.acked.Broadcast()
			return
		}
	}
	if ev.Port() == 0 && ev.Type != ibv.EventDeviceFatal {
		w.fault("ibv_ack_async_event: the event was not read")
	}
}
