package keynumber

import "testing"

// TestNumbersDiffer, and come of the hook while there is one.
func TestNumbersDiffer(t *testing.T) {
	seen := map[uint32]bool{}
	for range 64 {
		seen[Next()] = true
	}
	if len(seen) < 60 {
		t.Errorf("64 numbers are %d", len(seen))
	}
	f := func() uint32 { return 7 }
	Hook.Store(&f)
	defer Hook.Store(nil)
	if n := Next(); n != 7 {
		t.Errorf("with a hook, the number is %d", n)
	}
}
