package soft

import (
	"fmt"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

// mr is a registered region.
type mr struct {
	pd    *pd
	grant *grant
	own   bool // memory of the library

	mu      sync.Mutex
	windows int // bound to it
	dead    bool

	observed any // what the adapter's keyObserver keeps of it; constant
}

func (p *pd) Register(mem hca.Memory, access hca.Access) (hca.MR, error) {
	const op = "register"
	if len(mem.Bytes) == 0 {
		return nil, hca.NewError(hca.Invalid, op, "region", "the memory has length zero")
	}
	if access&^hca.AllAccess != 0 {
		return nil, hca.NewError(hca.Invalid, op, "region", fmt.Sprintf("unknown rights %#x", uint8(access&^hca.AllAccess)))
	}
	if err := p.a.allowed(op, mem, access); err != nil {
		return nil, err
	}
	if err := p.hold(op); err != nil {
		return nil, err
	}
	k, ok := p.a.keys.reserve()
	if !ok {
		p.drop()
		return nil, hca.NewError(hca.Resources, op, "region", "all keys are taken: close regions that are no longer needed")
	}
	m := &mr{pd: p, own: mem.Own}
	watcher := p.a.keys.observer
	if watcher != nil {
		m.observed = watcher.registered(m, mem)
	}
	m.grant = &grant{key: k, access: access, addr: addrOf(mem.Bytes), bytes: mem.Bytes, frail: !mem.Own, pd: p, mr: m}
	if err := p.a.track(op, m); err != nil {
		p.a.keys.release(k)
		if watcher != nil {
			watcher.released(m)
		}
		p.drop()
		return nil, err
	}
	if !m.open() {
		return nil, hca.NewError(hca.Closed, op, p.a.attr.Name, "the adapter has been closed")
	}
	return m, nil
}

// open makes the key good, unless the adapter has closed the region already.
func (m *mr) open() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return false
	}
	m.pd.a.keys.put(m.grant)
	return true
}

func (m *mr) Addr() uint64  { return m.grant.addr }
func (m *mr) Len() int      { return len(m.grant.bytes) }
func (m *mr) LKey() hca.Key { return m.grant.key }

func (m *mr) RKey() hca.Key {
	if m.grant.access&hca.RemoteAll == 0 {
		return 0
	}
	return m.grant.key
}

// bindWindow counts a window that is bound to the region.
func (m *mr) bindWindow() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return false
	}
	m.windows++
	return true
}

func (m *mr) unbindWindow() {
	m.mu.Lock()
	m.windows--
	m.mu.Unlock()
}

func (m *mr) Close() error {
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

	m.pd.a.keys.revoke(m.grant.key)
	m.pd.evict(m.grant.bytes)
	m.pd.quiesce(m.grant)
	if o := m.pd.a.keys.observer; o != nil {
		o.released(m)
	}
	m.pd.a.keys.release(m.grant.key)
	m.pd.a.untrack(m)
	m.pd.drop()
	return nil
}

// evict makes transmitters that are in the middle of a frame keep a copy of
// what is left of it, so that the memory need not outlive its region.
func (p *pd) evict(mem []byte) {
	for _, q := range p.queuePairs() {
		if t := q.transport(); t != nil {
			t.evict(mem)
		}
	}
}
