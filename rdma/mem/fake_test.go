package mem_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// fakePD registers anything and remembers what is open.
type fakePD struct {
	hca.PD
	open    atomic.Int32
	fail    error // of Register and NewWindow
	busy    error // of closing a region
	keys    atomic.Uint32
	alone   bool // peers do not map memory
	mu      sync.Mutex
	lastMem hca.Memory // for tests with one goroutine
}

func (p *fakePD) Register(m hca.Memory, access hca.Access) (hca.MR, error) {
	if p.fail != nil {
		return nil, p.fail
	}
	p.open.Add(1)
	p.mu.Lock()
	p.lastMem = m
	p.mu.Unlock()
	mr := &fakeMR{pd: p, n: len(m.Bytes), lkey: hca.Key(p.keys.Add(1))}
	if access&hca.RemoteAll != 0 {
		mr.rkey = hca.Key(p.keys.Add(1))
	}
	return mr, nil
}

func (p *fakePD) PeersMap() bool { return !p.alone }

func (p *fakePD) NewWindow(kind hca.WindowKind) (hca.MW, error) {
	if p.fail != nil {
		return nil, p.fail
	}
	p.open.Add(1)
	return &fakeMW{pd: p, kind: kind}, nil
}

type fakeMR struct {
	pd         *fakePD
	n          int
	lkey, rkey hca.Key
}

func (m *fakeMR) Addr() uint64  { return 0x10000 * uint64(m.lkey) }
func (m *fakeMR) Len() int      { return m.n }
func (m *fakeMR) LKey() hca.Key { return m.lkey }
func (m *fakeMR) RKey() hca.Key { return m.rkey }
func (m *fakeMR) Close() error {
	if m.pd.busy != nil {
		return m.pd.busy
	}
	m.pd.open.Add(-1)
	return nil
}

type fakeMW struct {
	hca.MW
	pd   *fakePD
	kind hca.WindowKind
}

func (w *fakeMW) Kind() hca.WindowKind { return w.kind }
func (w *fakeMW) Close() error         { w.pd.open.Add(-1); return nil }

// bindWith posts a bind that gives the key.
func bindWith(key hca.Key) func(*hca.Bind) error {
	return func(b *hca.Bind) error { b.Key = key; return nil }
}

func newDomain(t *testing.T) (*mem.Domain, *fakePD) {
	t.Helper()
	pd := &fakePD{}
	d := mem.NewDomain(pd, "zone A")
	t.Cleanup(func() { d.Close(false) })
	return d, pd
}

func alloc(t *testing.T, d *mem.Domain, size int, rights mem.Rights) *mem.Region {
	t.Helper()
	r, err := d.Alloc(size, rights, mem.AllocConfig{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
