package soft

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// An adapter may be closed while a region is being made: once it has closed the
// region, the region's key does not become good any more.
func TestRegionClosedBeforeItsKeyIsGood(t *testing.T) {
	ad := newAdapter(newAttr("test", "", 0), hca.Options{})
	defer ad.close(func() {})
	zone, err := ad.NewPD()
	if err != nil {
		t.Fatal(err)
	}
	p := zone.(*pd)
	keys := &p.a.keys
	// As far as Register comes before the key is good.
	if err := p.hold("register"); err != nil {
		t.Fatal(err)
	}
	k, _ := keys.reserve()
	mem := make([]byte, 8)
	m := &mr{pd: p, grant: &grant{key: k, access: hca.RemoteAll, addr: addrOf(mem), bytes: mem, pd: p}}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	keys.mu.Lock()
	keys.page(k) // another key may be there by now
	keys.mu.Unlock()
	if m.open() || keys.get(k) != nil {
		t.Error("a region that was closed has a good key")
	}
}
