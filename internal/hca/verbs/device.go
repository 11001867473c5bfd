package verbs

import (
	"slices"
	"sync"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// device is an opened device: a context that librdmacm opened, shared by all adapters
// of this process on it. librdmacm owns the context, so it is never closed here; the
// goroutine that reads its events is ours.
type device struct {
	host *host
	lib  *ibv.Lib
	ctx  ibv.Context
	name string
	ops  *ibv.Ops
	// list holds the context open. It is kept for good, unless the device is removed.
	list ibv.ContextList
	// users are adapters that have not closed all that they had. removed: they are the last. Guarded by the host's mu.
	users   int
	removed bool

	// mu guards what follows.
	mu       sync.Mutex
	adapters []*adapter
	events   *asyncReader // while there are adapters
}

// openDevice finds a device by name, and counts a user. It blocks for as long as the kernel
// needs to open it.
func (h *host) openDevice(lib *ibv.Lib, name string) (*device, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	known := slices.IndexFunc(h.open, func(d *device) bool { return d.name == name })
	list, e := lib.GetDevices()
	if e != 0 {
		if known >= 0 && slices.Contains(h.names(), name) { // the library may have failed at another device
			h.open[known].users++
			return h.open[known], nil
		}
		return nil, noManager(name, e)
	}
	var names []string
	ctx := ibv.Context(0)
	for _, c := range list.Contexts {
		n := c.Device().Name()
		if names = append(names, n); n == name {
			ctx = c
		}
	}
	if known >= 0 {
		d := h.open[known]
		if d.ctx == ctx {
			lib.FreeDevices(list)
			d.users++
			return d, nil
		}
		// The device was removed. One that has its name now is another one.
		h.open = slices.Delete(h.open, known, known+1)
		d.removed = true
		d.freeUnused()
	}
	if ctx != 0 {
		d := &device{host: h, lib: lib, ctx: ctx, name: name, ops: ctx.Ops(), list: list, users: 1}
		d.avoidOffset()
		h.open = append(h.open, d)
		return d, nil
	}
	lib.FreeDevices(list)
	if err := refusedFile(verbsDir, deviceDir, name); err != nil {
		return nil, err
	}
	return nil, noDevice(name, names, h.names(), there(deviceDir))
}

// leave is the end of a user.
func (d *device) leave() {
	d.host.mu.Lock()
	defer d.host.mu.Unlock()
	d.users--
	d.freeUnused()
}

// freeUnused lets the library close the context of a device that was removed, behind its last user. Called with the
// host's mu held.
func (d *device) freeUnused() {
	if d.removed && d.users == 0 {
		d.lib.FreeDevices(d.list)
	}
}

// attach adds an adapter, and starts the reader of events with the first.
func (d *device) attach(a *adapter) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.events == nil {
		r, err := newAsyncReader(d)
		if err != nil {
			return err
		}
		d.events = r
	}
	d.adapters = append(d.adapters, a)
	return nil
}

// detach removes an adapter. The last one stops the reader.
func (d *device) detach(a *adapter) {
	d.mu.Lock()
	// A reader may be going through the list: see route.
	d.adapters = slices.DeleteFunc(slices.Clone(d.adapters), func(x *adapter) bool { return x == a })
	var r *asyncReader
	if len(d.adapters) == 0 {
		r, d.events = d.events, nil
	}
	d.mu.Unlock()
	if r != nil {
		r.close()
	}
}

// each calls f for every adapter there is now.
func (d *device) each(f func(*adapter)) {
	d.mu.Lock()
	all := slices.Clone(d.adapters)
	d.mu.Unlock()
	for _, a := range all {
		f(a)
	}
}
