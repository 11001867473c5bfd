package core

import (
	"fmt"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

// MR is a registered region.
type MR struct {
	PD    *PD
	Grant *KeyEntry
	Own   bool // memory of the library

	mu      sync.Mutex
	windows int // windows bound to it
	dead    bool

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
	if err := p.Adapter.allowed(op, mem, access); err != nil {
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
	m := &MR{PD: p, Own: mem.Own}
	watcher := p.Adapter.Keys.Observer
	if watcher != nil {
		m.Observed = watcher.Registered(m, mem)
	}
	m.Grant = &KeyEntry{Key: k, Access: access, Addr: AddrOf(mem.Bytes), Bytes: mem.Bytes, Frail: !mem.Own, PD: p, MR: m}
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
	m.PD.Adapter.Keys.put(m.Grant)
	return true
}

func (m *MR) Addr() uint64  { return m.Grant.Addr }
func (m *MR) Len() int      { return len(m.Grant.Bytes) }
func (m *MR) LKey() hca.Key { return m.Grant.Key }

func (m *MR) RKey() hca.Key {
	if m.Grant.Access&hca.RemoteAll == 0 {
		return 0
	}
	return m.Grant.Key
}

// bindWindow counts a window that is bound to the region.
func (m *MR) bindWindow() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return false
	}
	m.windows++
	return true
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

	m.PD.Adapter.Keys.revoke(m.Grant.Key)
	m.PD.evict(m.Grant.Bytes)
	m.PD.quiesce(m.Grant)
	if o := m.PD.Adapter.Keys.Observer; o != nil {
		o.Released(m)
	}
	m.PD.Adapter.Keys.release(m.Grant.Key)
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
