package fakeibv

import (
	"fmt"
	"slices"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

type args = [5]uintptr

// function is one of the libraries'. It runs with mu held.
type function func(a args) (uintptr, ibv.Errno)

// num is the result of a function that returns an error number.
func num(e ibv.Errno) (uintptr, ibv.Errno) { return uintptr(e), e }

// pointers are the functions that return an address, or NULL and errno.
var pointers = []string{
	"ibv_get_device_list", "ibv_open_device", "ibv_alloc_pd", "ibv_reg_mr", "ibv_create_comp_channel", "ibv_create_cq",
	"ibv_create_srq", "rdma_get_devices", "rdma_create_event_channel", "ibv_alloc_mw",
}

// fragile are the functions that fail by chance, and with what.
var fragile = map[string][]ibv.Errno{
	"ibv_alloc_pd": {ibv.ENOMEM}, "ibv_reg_mr": {ibv.ENOMEM, ibv.EFAULT}, "ibv_create_cq": {ibv.ENOMEM, ibv.EINVAL},
	"ibv_create_srq": {ibv.ENOMEM}, "ibv_resize_cq": {ibv.ENOMEM}, "ibv_modify_srq": {ibv.ENOMEM},
	"ibv_modify_qp": {ibv.EINVAL, ibv.EIO}, "ibv_query_qp": {ibv.EIO},
	"rdma_create_id": {ibv.ENOMEM}, "rdma_bind_addr": {ibv.EADDRINUSE}, "rdma_resolve_addr": {ibv.ENETUNREACH, ibv.ENODEV},
	"rdma_resolve_route": {ibv.EINVAL, ibv.ENOMEM}, "rdma_create_qp": {ibv.ENOMEM, ibv.EINVAL},
	"rdma_connect": {ibv.ENOMEM, ibv.EADDRINUSE}, "rdma_listen": {ibv.EADDRINUSE}, "rdma_accept": {ibv.EINVAL, ibv.ENOMEM},
	"rdma_reject": {ibv.EINVAL}, "rdma_disconnect": {ibv.EINVAL},
	"rdma_get_cm_event": {ibv.EINTR, ibv.ENOMEM}, "ibv_get_async_event": {ibv.EINTR, ibv.ENOMEM},
	"ibv_post_send": {ibv.ENOMEM, ibv.EINVAL}, "ibv_post_recv": {ibv.ENOMEM}, "ibv_post_srq_recv": {ibv.ENOMEM},
	"ibv_alloc_mw": {ibv.ENOMEM},
}

// in makes a library function of f.
func (w *World) in(name string, f function) ibv.Func {
	pointer, errnos := slices.Contains(pointers, name), fragile[name]
	return func(a args) (uintptr, ibv.Errno) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if len(errnos) > 0 && w.draw(w.cfg.Trouble, name+" fails") {
			e := errnos[w.rng.IntN(len(errnos))]
			if posts := name == "ibv_post_send" || name == "ibv_post_recv" || name == "ibv_post_srq_recv"; posts && !w.odd("refusal of nothing in particular") {
				ibv.View[uintptr](a[2], 1)[0] = a[1]
			}
			if pointer {
				return 0, e
			}
			return num(e)
		}
		return f(a)
	}
}

func (w *World) functions() map[string]ibv.Func {
	table := map[string]ibv.Func{}
	for _, part := range []map[string]function{w.deviceCalls(), w.memoryCalls(), w.queueCalls(), w.qpCalls(), w.cmCalls(), w.connectCalls()} {
		for name, f := range part {
			table[name] = w.in(name, f)
		}
	}
	return table
}

// fault notes a wrong use.
func (w *World) fault(format string, a ...any) {
	w.faults = append(w.faults, fmt.Sprintf(format, a...))
}

// Faults are the calls that real libraries would not survive.
func (w *World) Faults() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.faults)
}

// Left lists the objects that are there.
func (w *World) Left() (all []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, o := range w.live {
		all = append(all, fmt.Sprintf("%T", o))
	}
	slices.Sort(all)
	return all
}

// Counts tells how often each oddity and each failure has happened.
func (w *World) Counts() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := map[string]int{}
	for k, n := range w.counts {
		all[k] = n
	}
	return all
}

// keep records an object.
func keep[H ~uintptr](w *World, h H, o any) H {
	w.live[uintptr(h)] = o
	return h
}

// drop forgets an object and gives its memory back.
func drop[H ~uintptr](w *World, h H) {
	delete(w.live, uintptr(h))
	ibv.FreeObject(h)
}

// object finds what a call was given. The use of one that is gone is a fault.
func object[T any](w *World, h uintptr, call string) *T {
	o, ok := w.live[h].(*T)
	if !ok {
		var none T
		w.fault("%s: there is no such %T", call, none)
	}
	return o
}
