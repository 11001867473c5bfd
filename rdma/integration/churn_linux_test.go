package integration_test

import (
	"testing"

	"github.com/godapl/godapl/rdma/mem"
)

// TestRegionsComeAndGo: a connection may last long, and lead to many regions of the
// peer. Those that have been freed hold little on the side that has used them, however
// many they were, and those that are there are used all the same.
func TestRegionsComeAndGo(t *testing.T) {
	for name, c := range map[string]struct{ size, rounds, live int }{
		"many small ones": {64 << 10, 3000, 8},
		"large ones":      {300 << 20, 300, 2}, // each a file of its own, little of it touched
	} {
		t.Run(name, func(t *testing.T) {
			r := random(t)
			active, passive := connect(t, "soft-shm", 1<<20)
			last := make([]*mem.Region, c.live)
			before, most := held(), holdings{}
			for i := range c.rounds {
				there, err := passive.zone.Alloc(c.size+r.IntN(100)<<12, mem.All)
				if err != nil {
					t.Skipf("%d bytes of memory, of which few are touched, are not to be had here: %v", c.size, err)
				}
				if old := last[i%c.live]; old != nil {
					must(t, old.Free())
				}
				last[i%c.live] = there
				from := active.mem.Slice(0, 8192)
				for n := range 2 { // the first one asks for the memory, the others get it
					paint(from.Bytes(), i+n)
					made(active.conn.Write(within(t), from, there.Slice(there.Len()-8192, 8192).Remote()))(t)
					if at := differs(there.Bytes()[there.Len()-8192:], i+n); at >= 0 {
						t.Fatalf("region %d: byte %d is wrong", i, at)
					}
				}
				if i%10 == 0 {
					now := held()
					most = holdings{max(most.goroutines, now.goroutines), max(most.descriptors, now.descriptors), max(most.mappings, now.mappings), max(most.shared, now.shared)}
				}
			}
			t.Logf("before: %v; at most: %v", before, most)
			if more := most.descriptors - before.descriptors; more > 100 {
				t.Errorf("%d descriptors more", more)
			}
			if more := most.shared - before.shared; more > 200 {
				t.Errorf("%d mappings of shared memory more", more)
			}
			for _, region := range last {
				must(t, region.Free())
			}
		})
	}
}
