package rdma

import "testing"

// TestLatestEvents: they are in an array of their own, so that an error keeps no more than these. The allocator rounds
// up by an eighth at most; by how much depends on the size of an event, which is smaller where addresses have 32 bits.
func TestLatestEvents(t *testing.T) {
	all, outstanding := make(Flight, 100, 200), make(Flight, 16)
	all[99].Cookie, outstanding[15].Cookie = 1, 2
	got := latest(all, outstanding)
	if len(got) != 80 || cap(got) > 80*9/8 || got[63].Cookie != 1 || got[79].Cookie != 2 {
		t.Errorf("%d of %d, %v", len(got), cap(got), got)
	}
	if all[99].Cookie = 3; got[63].Cookie == 3 {
		t.Error("the long array is kept")
	}
	if got := latest(all[:3], nil); len(got) != 3 {
		t.Error(got)
	}
}
