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

	// mu guards what follows.
	mu       sync.Mutex
	adapters []*adapter
	events   *asyncReader // while there are adapters
}

// openDevice finds a device by name. It blocks for as long as the kernel needs
// to open it.
func (h *host) openDevice(lib *ibv.Lib, name string) (*device, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range h.open {
		if d.name == name {
			return d, nil
		}
	}
	list, e := lib.GetDevices()
	if e != 0 {
		return nil, noManager(name, e)
	}
	var names []string
	for _, ctx := range list.Contexts {
		n := ctx.Device().Name()
		if n == name {
			d := &device{host: h, lib: lib, ctx: ctx, name: name, ops: ctx.Ops()}
			// The list holds the contexts open; it is kept for good.
			d.avoidOffset()
			h.open = append(h.open, d)
			return d, nil
		}
		names = append(names, n)
	}
	lib.FreeDevices(list)
	if err := refusedFile(verbsDir, deviceDir, name); err != nil {
		return nil, err
	}
	return nil, noDevice(name, names, h.names(), there(deviceDir))
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
