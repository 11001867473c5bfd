package fakeibv

import (
	"slices"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// Disturb sets the chances of oddities and of failures from here on: see [Config].
func (w *World) Disturb(odd, trouble float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cfg.Odd, w.cfg.Trouble = odd, trouble
}

// all are the objects of a type, in the order of their making. lane gives one of theirs.
func all[T any](w *World, lane func(*T) *lane, which func(*T) bool) (found []*T) {
	for _, o := range w.live {
		if x, ok := o.(*T); ok && which(x) {
			found = append(found, x)
		}
	}
	slices.SortFunc(found, func(a, b *T) int { return lane(a).id - lane(b).id })
	return found
}

// one draws a queue pair that is ready to send; nil if there is none.
func (w *World) one() *qp {
	qs := all(w, func(q *qp) *lane { return q.sq }, func(q *qp) bool { return q.state == ibv.QPRTS })
	if len(qs) == 0 {
		return nil
	}
	return qs[w.rng.IntN(len(qs))]
}

// Break ends a queue pair that the seed chooses: the device gives it up, and says so in an
// asynchronous event of the given type. It reports whether there was one.
func (w *World) Break(ev ibv.EventType) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	q := w.one()
	if q == nil {
		return false
	}
	w.counts["queue pair broken"]++
	w.toError(q)
	w.raise(q.pd.dev, q.raise, ibv.NewAsyncEvent(ev, uintptr(q.h), 0), &q.async)
	return true
}

// Spoil fails the next request of a queue pair that the seed chooses, with any status. It
// reports whether there was one.
func (w *World) Spoil(status ibv.WCStatus) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	q := w.one()
	if q == nil {
		return false
	}
	w.counts["request spoiled"]++
	q.spoiled = status
	return true
}

// Remove tells an identifier that the seed chooses that the device has been removed. It
// reports whether there was one.
func (w *World) Remove() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := all(w, func(i *cmID) *lane { return i.net }, func(i *cmID) bool { return i.state > idle && i.state != listening })
	if len(ids) == 0 {
		return false
	}
	w.counts["device removed"]++
	w.event(ids[w.rng.IntN(len(ids))], ibv.CMEvent{Type: ibv.CMDeviceRemoval})
	return true
}

// Replace removes device n, and another comes that has its name and address. held reports whether the program
// keeps a list of devices that has the removed one: until then the library does not close that.
func (w *World) Replace(n int) (held func() bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.devs[n]
	w.removed = append(w.removed, d)
	w.devs[n] = w.newDevice(w.cfg.Devices[n], d.addr)
	return func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, l := range w.lists {
			if slices.Contains(l, d) {
				return true
			}
		}
		return false
	}
}

// Raise makes an event about the port or the whole device n. With EventDeviceFatal all its
// queue pairs fail.
func (w *World) Raise(n int, ev ibv.EventType) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.devs[n]
	w.counts["event of a device"]++
	if ev == ibv.EventDeviceFatal {
		for _, q := range all(w, func(q *qp) *lane { return q.sq }, func(q *qp) bool { return q.pd.dev == d }) {
			w.toError(q)
		}
	}
	w.raise(d, d.port, ibv.NewAsyncEvent(ev, 0, 1), nil)
}

// FailConnects fails the next calls of rdma_connect, with these errors. The calls of an iWARP device
// fail so when the peer refuses.
func (w *World) FailConnects(with ...ibv.Errno) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unconnected = with
}

// FailArms gives the results of the next calls of ibv_req_notify_cq: 0 for one that does not fail.
func (w *World) FailArms(with ...ibv.Errno) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unarmed = with
}

// FailResizes gives the results of the next calls of ibv_resize_cq: 0 for one that does not fail.
func (w *World) FailResizes(with ...ibv.Errno) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unresized = with
}
