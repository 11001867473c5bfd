package core

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
)

// An adapter may be closed while a region is being registered: once it has closed the region, the region's key
// does not become valid any more.
func TestRegionClosedBeforeItsKeyIsGood(t *testing.T) {
	ad := NewAdapter(NewAttr("test", "", 0), hca.Options{})
	defer ad.Shutdown(func() {})
	zone, err := ad.NewPD()
	if err != nil {
		t.Fatal(err)
	}
	p := zone.(*PD)
	keys := &p.Adapter.Keys
	// The part of Register before the key is valid.
	if err := p.hold("register"); err != nil {
		t.Fatal(err)
	}
	k, _ := keys.reserve()
	mem := make([]byte, 8)
	m := &MR{PD: p, Entry: &KeyEntry{Key: k, Access: hca.RemoteAll, Addr: rawmem.AddrOf(mem), Bytes: mem, PD: p}}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	keys.mu.Lock()
	keys.page(k) // another key may be there by now
	keys.mu.Unlock()
	if m.open() || keys.Get(k) != nil {
		t.Error("a region that was closed has a good key")
	}
}
