package peerfiles

import (
	"testing"

	"github.com/godapl/godapl/internal/shm"
)

// TestAPeersFilesLeaveAddresses: a file without contents may be as large as the peer likes. Its pages cost nothing, but
// their addresses are this process's. What was mapped before can be mapped again when it is released.
func TestAPeersFilesLeaveAddresses(t *testing.T) {
	most := mostBytes
	file, err := shm.CreateFile("test", int64(most), 0)
	if err != nil {
		t.Skipf("no file of %d bytes: %v", most, err)
	}
	defer file.Close()
	for range 2 {
		var m Mappings
		get := func(n uint64, size int) bool {
			k := Place{File{ID{1, n}, false}, 0, size}
			m.Get(k, 1)
			fd, err := again(file)
			if err != nil {
				t.Fatal(err)
			}
			m.Add(k.ID, false, fd)
			b, _, _ := m.Get(k, 1)
			return len(b) == size
		}
		first := get(1, page)
		if !first || get(2, most) || !get(3, page) {
			t.Errorf("a page was mapped: %v; everything else, too", first)
		}
		m.Close()
	}
	if n := peerBytes.Load(); n != 0 {
		t.Errorf("%d bytes are counted, and none are mapped", n)
	}
}
