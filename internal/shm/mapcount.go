package shm

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
)

// The kernel limits the mappings of a process (vm.max_map_count). A process that has
// none left cannot continue: the Go runtime ends it when the system refuses memory.
// So the library counts its own mappings, and refuses new ones well before the limit. Now and
// then it also counts all mappings of the process, since other code creates some too.

// mappings is that count.
var mappings = mapCount{readCounts: sysMappings}

type mapCount struct {
	held atomic.Int64 // the library's
	next atomic.Int64 // when held reaches this, count all mappings again

	mu         sync.Mutex
	readCounts func() (all, most int) // of the process; most is 0 if there is no limit
}

// MostMappings returns how many mappings the process may have; 0 if there is no limit.
var MostMappings = sync.OnceValue(sysMostMappings)

// HoldMapping counts a mapping that the library is about to make; [DropMapping] counts
// its removal. HoldMapping returns ErrResources if the mapping would leave too few for
// the rest of the process.
func HoldMapping() error { return mappings.hold() }

// DropMapping counts the removal of a mapping that HoldMapping has counted.
func DropMapping() { mappings.held.Add(-1) }

// Mappings returns how many mappings the library has.
func Mappings() int { return int(mappings.held.Load()) }

func (c *mapCount) hold() error {
	if n := c.held.Add(1); n <= c.next.Load() {
		return nil
	}
	return c.count()
}

// The library takes at most half of the process's mappings, and leaves an eighth free
// for others in any case. The number of full counts grows with the logarithm of the
// number of mappings.
func (c *mapCount) count() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.held.Load()
	if n <= c.next.Load() {
		return nil
	}
	all, most := c.readCounts()
	if most == 0 {
		c.next.Store(math.MaxInt64)
		return nil
	}
	room := min(int64(most/2)-n, int64(most-most/8-all))
	if room < 0 {
		c.held.Add(-1)
		return fullError(all, most)
	}
	c.next.Store(n + min(room, max(1024, n/4)))
	return nil
}

// fullError returns ErrResources with the count and the limit.
func fullError(all, most int) error {
	return fail("map", ErrResources, fmt.Sprintf(
		"this process has %d of %d mappings (vm.max_map_count), and the library leaves the others to the rest of it: use fewer and larger regions, or raise the limit (sysctl -w vm.max_map_count=%d)",
		all, most, 4*most), nil)
}

// Full is the error for a mapping that the system has refused, if that is because there
// are too many of them; else nil.
func Full() error {
	if all, most := mappings.readCounts(); most > 0 && all >= most-most/64 {
		return fullError(all, most)
	}
	return nil
}
