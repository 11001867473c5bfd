package verbs

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// A queue of the device that is made for a depth has that depth, and room for one more entry per
// spareShare; what a depth needs fits where the depth comes from.
func TestSpareEntries(t *testing.T) {
	for n := 1; n < 5000; n++ {
		entries := entriesFor(n)
		if d := depthOf(entries); d < n {
			t.Fatalf("a queue for %d has depth %d", n, d)
		}
		if entries-n < spareCQE || (entries-n)*spareShare < n {
			t.Fatalf("a queue for %d has %d entries", n, entries)
		}
		if d := depthOf(n); d > 0 && entriesFor(d) > n {
			t.Fatalf("%d entries are a depth of %d, which needs %d", n, d, entriesFor(d))
		}
	}
}

// A read's target needs the right to be written by the peer on iWARP devices, as their libraries say. siw asks for it nowhere.
func TestReadsOfIWARPNeedAWrite(t *testing.T) {
	for _, x := range []struct {
		a    *adapter
		want hca.Caps
	}{{&adapter{iwarp: true}, hca.CapReadNeedsWrite}, {&adapter{iwarp: true, siw: true}, 0}, {&adapter{}, 0}} {
		if c := x.a.caps(&ibv.DeviceAttr{}) & hca.CapReadNeedsWrite; c != x.want {
			t.Errorf("iWARP %v, siw %v: %#x", x.a.iwarp, x.a.siw, c)
		}
	}
}
