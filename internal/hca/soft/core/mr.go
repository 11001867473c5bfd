package core

import (
	"fmt"
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
)

// MR is a registered region.
type MR struct {
	PD    *PD
	Entry *KeyEntry
	Own   bool // memory of the library

	mu      sync.Mutex
	windows int // windows bound to it
	dead    bool
	access  hca.Access // now; Entry has the first ones

	Observed any // the result of the KeyObserver; constant
}

func (p *PD) Register(mem hca.Memory, access hca.Access) (hca.MR, error) {
	const op = "register"
	if len(mem.Bytes) == 0 {
		return nil, hca.NewError(hca.Invalid, op, "region", "the memory has length zero")
	}
	if access&^hca.AllAccess != 0 {
		return nil, hca.NewError(hca.Invalid, op, "region", fmt.Sprintf("unknown rights %#x", uint8(access&^hca.AllAccess)))
	}
	if err := rawmem.CheckRights(&p.Adapter.pages, op, mem, access); err != nil {
		return nil, err
	}
	if err := p.hold(op); err != nil {
		return nil, err
	}
	k, ok := p.Adapter.Keys.reserve()
	if !ok {
		p.drop()
		return nil, hca.NewError(hca.Resources, op, "region", "all keys are taken: close regions that are no longer needed")
	}
	m := &MR{PD: p, Own: mem.Own, access: access}
	watcher := p.Adapter.Keys.Observer
	if watcher != nil {
		m.Observed = watcher.Registered(m, mem)
	}
	m.Entry = &KeyEntry{Key: k, Access: access, Addr: rawmem.AddrOf(mem.Bytes), Bytes: mem.Bytes, Frail: !mem.Own, PD: p, MR: m}
	if err := p.Adapter.Track(op, m); err != nil {
		p.Adapter.Keys.release(k)
		if watcher != nil {
			watcher.Released(m)
		}
		p.drop()
		return nil, err
	}
	if !m.open() {
		return nil, hca.NewError(hca.Closed, op, p.Adapter.Attrs.Name, "the adapter has been closed")
	}
	return m, nil
}

// open makes the key valid, unless the adapter has closed the region already.
func (m *MR) open() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return false
	}
	m.PD.Adapter.Keys.put(m.Entry)
	return true
}

func (m *MR) Addr() uint64  { return m.Entry.Addr }
func (m *MR) Len() int      { return len(m.Entry.Bytes) }
func (m *MR) LKey() hca.Key { return m.Entry.Key }

func (m *MR) RKey() hca.Key {
	if m.rights()&hca.RemoteAll == 0 {
		return 0
	}
	return m.Entry.Key
}

// rights are the region's present ones.
func (m *MR) rights() hca.Access {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.access
}

// Modify implements hca.Modifier.
func (m *MR) Modify(access hca.Access) error {
	const op = "modify"
	if access&^hca.AllAccess != 0 {
		return hca.NewError(hca.Invalid, op, "region", fmt.Sprintf("unknown rights %#x", uint8(access&^hca.AllAccess)))
	}
	a := m.PD.Adapter
	if err := rawmem.CheckRights(&a.pages, op, hca.Memory{Bytes: m.Entry.Bytes, Own: !m.Entry.Frail}, access); err != nil {
		return err
	}
	if err := m.change(op, access); err != nil {
		return err
	}
	// Without the lock: a goroutine inside a gate may wait for it, in bindWindow or rights.
	if access&hca.LocalRead == 0 {
		m.PD.evict(m.Entry.Bytes)
	}
	m.PD.quiesce(m.Entry)
	return nil
}

// change gives the region's key other rights.
func (m *MR) change(op string, access hca.Access) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.dead:
		return hca.NewError(hca.Closed, op, "region", "the region has been freed")
	case m.windows > 0:
		return hca.NewError(hca.InUse, op, "region", hca.CountIs(m.windows, "window")+" bound to it: unbind or free that first")
	}
	g := *m.Entry
	g.Access = access
	m.access = access
	m.PD.Adapter.Keys.replace(&g)
	return nil
}

// bindWindow counts a window with these rights that is bound to the region. The rights may have changed since the
// bind was posted.
func (m *MR) bindWindow(access hca.Access) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead || lacks(m.access, access) != 0 {
		return false
	}
	m.windows++
	return true
}

// lacks is the local rights that a window with these rights needs and the region does not have.
func lacks(region, window hca.Access) hca.Access {
	need := hca.Access(0)
	if window&hca.RemoteRead != 0 {
		need |= hca.LocalRead
	}
	if window&(hca.RemoteWrite|hca.RemoteAtomic) != 0 {
		need |= hca.LocalWrite
	}
	return need &^ region
}

func (m *MR) unbindWindow() {
	m.mu.Lock()
	m.windows--
	m.mu.Unlock()
}

func (m *MR) Close() error {
	m.mu.Lock()
	if m.dead {
		m.mu.Unlock()
		return nil
	}
	if m.windows > 0 {
		n := m.windows
		m.mu.Unlock()
		return hca.NewError(hca.InUse, "close", "region", hca.CountIs(n, "window")+" bound to it: unbind or free that first")
	}
	m.dead = true
	m.mu.Unlock()

	m.PD.Adapter.Keys.revoke(m.Entry.Key)
	m.PD.evict(m.Entry.Bytes)
	m.PD.quiesce(m.Entry)
	if o := m.PD.Adapter.Keys.Observer; o != nil {
		o.Released(m)
	}
	m.PD.Adapter.Keys.release(m.Entry.Key)
	m.PD.Adapter.Untrack(m)
	m.PD.drop()
	return nil
}

// evict lets send halves that are in the middle of a frame copy what is left of it, so that the memory need not
// outlive its region.
func (p *PD) evict(mem []byte) {
	for _, q := range p.QueuePairs() {
		if t := q.Transport(); t != nil {
			t.Evict(mem)
		}
	}
}
