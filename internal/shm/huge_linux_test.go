package shm_test

import (
	"testing"

	"github.com/godapl/godapl/internal/shm"
)

const hugePage = 2 << 20

// hugeFile makes a file of huge pages. Whether the system has any makes no difference before it is mapped.
func hugeFile(t *testing.T) *shm.File {
	t.Helper()
	f, err := shm.CreateFile("test", hugePage, hugePage)
	if err != nil {
		t.Skipf("no files of huge pages: %v", err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestHugePagesAreNotDetached: the system may have no huge page left for the copy, and would then leave no memory at all.
func TestHugePagesAreNotDetached(t *testing.T) {
	f := hugeFile(t)
	s := made(shm.NewSegment("test", 2*hugePage, 0))(t) // has an aligned place for a huge page
	defer s.Close()
	b := s.Bytes()
	b = b[-addressOf(b)%hugePage:][:hugePage]
	b[0] = 7
	wants(t, "Detach", shm.Detach(b, f, 0), shm.ErrUnsupported)
	var got [1]byte
	if _, err := shm.TryCopy(got[:], b); err != nil || got[0] != 7 {
		t.Errorf("the memory holds %d, want 7: %v", got[0], err)
	}
}

// TestASegmentHasOrdinaryPages: a peer could give huge pages back, and the next access would end this process.
func TestASegmentHasOrdinaryPages(t *testing.T) {
	s, err := shm.OpenSegment(dupFD(t, hugeFile(t).FD()), hugePage, shm.ReadOnly)
	wants(t, "OpenSegment", err, shm.ErrUnfit)
	if err == nil {
		s.Close()
	}
}
