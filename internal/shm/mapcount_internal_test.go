package shm

import (
	"errors"
	"strings"
	"testing"
)

// TestMappingsAreLeft: the library stops before the process runs out of mappings, no
// matter which part of the process made them.
func TestMappingsAreLeft(t *testing.T) {
	const most = 65530
	for _, others := range []int{0, 60, 30000, 50000, 57000, 60000, most} {
		var c mapCount
		looks := 0
		c.readCounts = func() (all, max int) { looks++; return others + int(c.held.Load()), most }
		var err error
		for err == nil && c.held.Load() < most {
			err = c.hold()
		}
		n := int(c.held.Load())
		if !errors.Is(err, ErrResources) || !strings.Contains(err.Error(), "vm.max_map_count=262120") {
			t.Errorf("%d of others: %v", others, err)
		}
		if n > most/2 || n > 0 && n+others > most-most/8 || n < most/2-1 && n+others < most-most/8-1 {
			t.Errorf("%d of the library beside %d of others", n, others)
		}
		if looks > 40 {
			t.Errorf("%d of others: counted %d times", others, looks)
		}
		c.held.Add(-2)
		if n > 2 {
			again := 0
			for c.hold() == nil {
				again++
			}
			if again != 2 {
				t.Errorf("%d of others: 2 were given back, %d can be had", others, again)
			}
		}
	}
}

// TestNoLimitOfMappings: a system without a limit refuses no mapping.
func TestNoLimitOfMappings(t *testing.T) {
	var c mapCount
	c.readCounts = func() (int, int) { return 0, 0 }
	for range 100000 {
		if err := c.hold(); err != nil {
			t.Fatal(err)
		}
	}
}
