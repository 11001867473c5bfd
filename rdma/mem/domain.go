package mem

import (
	"errors"
	"fmt"
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/zonemem"
)

// domain is the memory side of a zone. Package rdma gets it from zonemem, and knows it
// by its exported methods.
type domain struct {
	pd     hca.PD
	name   string
	number uint64 // see Region.ZoneID
	arena  arena

	mu      sync.Mutex
	regions map[*Region]struct{}
	windows map[*Window]struct{}
	made    struct{ regions, windows uint64 } // so far, for errors
	closed  bool
}

func init() {
	zonemem.New = func(pd hca.PD, name string, number uint64) any { return newDomain(pd, name, number) }
	zonemem.Refusal = func(slice, zone any, rights uint8) error {
		s := slice.(*Slice)
		d, _ := zone.(*domain)
		if d == nil && s.region != nil {
			d = s.region.domain
		}
		return s.refusal(d, Rights(rights))
	}
}

// newDomain makes the memory side of a zone.
func newDomain(pd hca.PD, name string, number uint64) *domain {
	return &domain{pd: pd, name: name, number: number, regions: map[*Region]struct{}{}, windows: map[*Window]struct{}{}}
}

// String returns the name.
func (d *domain) String() string {
	if d == nil {
		return "no zone"
	}
	return d.name
}

// Alloc is rdma.Zone.AllocWith.
func (d *domain) Alloc(size int, rights Rights, cfg AllocConfig) (*Region, error) {
	r, err := d.alloc(size, rights, cfg)
	if err != nil {
		return nil, hca.Named(err, "alloc", fmt.Sprintf("%d bytes in %s", size, d))
	}
	return r, nil
}

func (d *domain) alloc(size int, rights Rights, cfg AllocConfig) (*Region, error) {
	if err := checkRights(rights); err != nil {
		return nil, err
	}
	m, err := d.allocate(size, rights, cfg)
	if err != nil {
		return nil, err
	}
	return d.register(m, rights)
}

// Register is rdma.Zone.Register.
func (d *domain) Register(b []byte, rights Rights) (*Region, error) {
	r, err := d.registerSlice(b, rights)
	if err != nil {
		return nil, hca.Named(err, "register", fmt.Sprintf("%d bytes in %s", len(b), d))
	}
	return r, nil
}

func (d *domain) registerSlice(b []byte, rights Rights) (*Region, error) {
	if err := checkRights(rights); err != nil {
		return nil, err
	}
	if len(b) == 0 {
		return nil, hca.NewError(hca.Invalid, "", "", "a region needs at least one byte")
	}
	m := newPinned(b)
	m.keepMapping()
	return d.register(m, rights)
}

// RegisterAgain is rdma.Zone.RegisterAgain.
func (d *domain) RegisterAgain(r *Region, rights Rights) (*Region, error) {
	const op = "register again"
	if r == nil {
		return nil, hca.NewError(hca.Invalid, op, "in "+d.String(), "there is no region")
	}
	if err := checkRights(rights); err != nil {
		return nil, hca.Named(err, op, r.name())
	}
	if r.live.Load() == 0 || !r.memory.retain() {
		return nil, r.closed(op)
	}
	again, err := d.register(r.memory, rights)
	if err != nil {
		return nil, hca.Named(err, op, r.name()+" in "+d.String())
	}
	return again, nil
}

// register takes over one reference to m.
func (d *domain) register(m *memory, rights Rights) (*Region, error) {
	mr, err := d.pd.Register(m.describe(), hca.Access(rights))
	if err != nil {
		m.release()
		return nil, explain(err)
	}
	return d.enter(mr, m, rights)
}

// enter makes the region of a registration. It takes over one reference to m.
func (d *domain) enter(mr hca.MR, m *memory, rights Rights) (*Region, error) {
	r := &Region{addr: mr.Addr(), lkey: mr.LKey(), zone: d.number, domain: d, mr: mr, memory: m}
	r.rkey.Store(uint32(mr.RKey()))
	r.rights.Store(uint32(rights))
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		mr.Close()
		m.release()
		return nil, hca.NewError(hca.Closed, "", "", d.name+" has been closed")
	}
	d.made.regions++
	r.number = d.made.regions
	r.live.Store(alive | uint32(rights))
	d.regions[r] = struct{}{}
	return r, nil
}

// explain adds the usual cure to a registration that ran into a limit.
func explain(err error) error {
	var e *hca.Error
	if errors.As(err, &e) && e.Code == hca.Resources {
		return &hca.Error{Code: hca.Resources, Err: hca.Named(err, "", ""),
			Detail: "the adapter cannot hold more memory; free regions, or raise the locked-memory limit (ulimit -l)"}
	}
	return err
}

// NewWindow is rdma.Zone.NewWindow.
func (d *domain) NewWindow(kind WindowKind) (*Window, error) {
	const op = "new window"
	if kind != ZoneWindow && kind != EndpointWindow {
		return nil, hca.NewError(hca.Invalid, op, "of "+d.name, fmt.Sprintf("unknown kind %d", kind))
	}
	mw, err := d.pd.NewWindow(hca.WindowKind(kind))
	if err != nil {
		return nil, hca.Named(err, op, "of "+d.name)
	}
	w := &Window{mw: mw, kind: kind, domain: d}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		mw.Close()
		return nil, hca.NewError(hca.Closed, op, "of "+d.name, "the zone has been closed")
	}
	d.made.windows++
	w.number = d.made.windows
	d.windows[w] = struct{}{}
	return w, nil
}

// Counts is how many regions and windows are left.
func (d *domain) Counts() (regions, windows int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.regions), len(d.windows)
}

// Bytes is the sum of the lengths of the regions that are left.
func (d *domain) Bytes() (sum uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for r := range d.regions {
		sum += uint64(r.Len())
	}
	return sum
}

// Close frees all windows and regions that are left and lets nothing new in.
// With gone, the adapter is closed already and has revoked every key.
func (d *domain) Close(gone bool) {
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
	d.arena.close()
}

// over reports whether the zone has been closed.
func (d *domain) over() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.closed
}

func (d *domain) forget(r *Region) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.regions, r)
}

func (d *domain) forgetWindow(w *Window) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.windows, w)
}

func checkRights(r Rights) error {
	if r&^All != 0 {
		return hca.NewError(hca.Invalid, "", "", fmt.Sprintf("the rights %#02x have unknown bits; those there are make %#02x", uint8(r), uint8(All)))
	}
	return nil
}
