package mem

import (
	"errors"
	"fmt"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

// Domain is the memory side of a zone. It is for package rdma: programs use
// rdma.Zone.
type Domain struct {
	pd   hca.PD
	name string

	mu      sync.Mutex
	regions map[*Region]struct{}
	windows map[*Window]struct{}
	closed  bool
}

// NewDomain is for package rdma. The name goes into errors.
func NewDomain(pd hca.PD, name string) *Domain {
	return &Domain{pd: pd, name: name, regions: map[*Region]struct{}{}, windows: map[*Window]struct{}{}}
}

// String is the name.
func (d *Domain) String() string {
	if d == nil {
		return "no zone"
	}
	return d.name
}

// Alloc is rdma.Zone.AllocWith.
func (d *Domain) Alloc(size int, rights Rights, opt AllocOptions) (*Region, error) {
	if err := checkRights(rights); err != nil {
		return nil, err
	}
	m, err := allocate(size, opt)
	if err != nil {
		return nil, err
	}
	return d.register(m, rights)
}

// Register is rdma.Zone.Register.
func (d *Domain) Register(b []byte, rights Rights) (*Region, error) {
	if err := checkRights(rights); err != nil {
		return nil, err
	}
	if len(b) == 0 {
		return nil, hca.NewError(hca.Invalid, "register", "0 bytes", "a region needs at least one byte")
	}
	return d.register(newPinned(b), rights)
}

// RegisterAgain is rdma.Zone.RegisterAgain.
func (d *Domain) RegisterAgain(r *Region, rights Rights) (*Region, error) {
	if err := checkRights(rights); err != nil {
		return nil, err
	}
	if r == nil {
		return nil, hca.NewError(hca.Invalid, "register again", "", "there is no region")
	}
	if r.live.Load() == 0 || !r.memory.retain() {
		return nil, r.closed("register again")
	}
	return d.register(r.memory, rights)
}

// register takes over one reference to m.
func (d *Domain) register(m *memory, rights Rights) (*Region, error) {
	mr, err := d.pd.Register(m.describe(), hca.Access(rights))
	if err != nil {
		m.release()
		return nil, explain(err)
	}
	r := &Region{addr: mr.Addr(), lkey: mr.LKey(), rkey: Key(mr.RKey()), rights: rights, domain: d, mr: mr, memory: m}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		mr.Close()
		m.release()
		return nil, hca.NewError(hca.Closed, "register", d.name, "the zone has been closed")
	}
	r.live.Store(alive | uint32(rights))
	d.regions[r] = struct{}{}
	return r, nil
}

// explain adds the usual cure to a registration that ran into a limit.
func explain(err error) error {
	var e *hca.Error
	if errors.As(err, &e) && e.Code == hca.Resources {
		return &hca.Error{Op: "register", Object: e.Object, Code: hca.Resources, Err: err,
			Detail: "the adapter cannot hold more memory; free regions, or raise the locked-memory limit (ulimit -l)"}
	}
	return err
}

// NewWindow is rdma.Zone.NewWindow.
func (d *Domain) NewWindow(kind WindowKind) (*Window, error) {
	if kind != ZoneWindow && kind != EndpointWindow {
		return nil, hca.NewError(hca.Invalid, "make window", d.name, fmt.Sprintf("unknown kind %d", kind))
	}
	mw, err := d.pd.NewWindow(hca.WindowKind(kind))
	if err != nil {
		return nil, err
	}
	w := &Window{mw: mw, kind: kind, domain: d}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		mw.Close()
		return nil, hca.NewError(hca.Closed, "make window", d.name, "the zone has been closed")
	}
	d.windows[w] = struct{}{}
	return w, nil
}

// Counts is how many regions and windows are left.
func (d *Domain) Counts() (regions, windows int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.regions), len(d.windows)
}

// Close frees all windows and regions that are left and lets nothing new in.
// With gone, the adapter is closed already and has revoked every key.
func (d *Domain) Close(gone bool) {
	d.mu.Lock()
	d.closed = true
	regions, windows := d.regions, d.windows
	d.regions, d.windows = map[*Region]struct{}{}, map[*Window]struct{}{}
	d.mu.Unlock()
	for w := range windows {
		w.end(gone)
	}
	for r := range regions {
		r.end(gone)
	}
}

func (d *Domain) forget(r *Region) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.regions, r)
}

func (d *Domain) forgetWindow(w *Window) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.windows, w)
}

func checkRights(r Rights) error {
	if r&^All != 0 {
		return hca.NewError(hca.Invalid, "register", "memory", fmt.Sprintf("the rights %#02x have unknown bits; those there are make %#02x", uint8(r), uint8(All)))
	}
	return nil
}
