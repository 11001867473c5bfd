package verbs

import "testing"

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
