package integration_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma/mem"
)

// openFiles counts the descriptors of this process by kind of file.
func openFiles() map[string]int {
	kinds := map[string]int{}
	list, _ := os.ReadDir("/proc/self/fd") // what cannot be read is not counted
	for _, entry := range list {
		to, _ := os.Readlink("/proc/self/fd/" + entry.Name())
		kinds[strings.TrimRight(to, "0123456789[] ")]++
	}
	return kinds
}

// TestRegionsComeAndGo: a long-lived connection may access many regions of the peer. For
// freed regions, the side that has accessed them keeps few descriptors and mappings, however
// many there were. Regions that exist are accessed as before.
func TestRegionsComeAndGo(t *testing.T) {
	for name, c := range map[string]struct{ size, rounds, live int }{
		"many small ones": {64 << 10, 3000, 8},
		"large ones":      {300 << 20, 300, 2}, // each a file of its own, little of it touched
	} {
		t.Run(name, func(t *testing.T) {
			r := random(t)
			active, passive := connect(t, "soft-shm", 1<<20)
			last := make([]*mem.Region, c.live)
			before := held()
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
				if i%50 == 49 { // what sweeps them up does so in its own time
					var more holdings
					eventuallyOr(t, func() bool {
						now := held()
						more = holdings{descriptors: now.descriptors - before.descriptors, shared: now.shared - before.shared}
						// The owner has a descriptor of each region that is there. The other side has one
						// of each file that came too late to be mapped, until the sweep: of those that
						// the last sweep kept, and of less than 32 new ones.
						return more.descriptors <= 2*c.live+32 && more.shared <= 90
					}, func() string {
						return fmt.Sprintf("%d regions: %d descriptors more and %d mappings of shared memory; open are %v", i+1, more.descriptors, more.shared, openFiles())
					})
				}
			}
			for _, region := range last {
				must(t, region.Free())
			}
		})
	}
}
