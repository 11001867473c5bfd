package mem_test

import (
	"bytes"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
	"github.com/godapl/godapl/rdma/mem"
)

// asPeer maps registered memory as a process would that was given the descriptor.
func asPeer(t *testing.T, m hca.Memory) []byte {
	t.Helper()
	if m.File == 0 || m.Detach == nil {
		t.Fatalf("the memory cannot be mapped by others: file %d", m.File)
	}
	fd, err := unix.FcntlInt(m.File, unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	f, err := shm.OpenFile(fd)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	there, err := f.Map(m.Offset, len(m.Bytes), shm.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { there.Unmap() })
	return there.Bytes()
}

// TestNoFileForNobody: memory has a file only if the adapter has peers that map it.
func TestNoFileForNobody(t *testing.T) {
	d, pd := newDomain(t)
	for _, pd.alone = range []bool{true, false} {
		for _, size := range []int{mem.PageSize(), 8 << 20} {
			alloc(t, d, size, mem.All)
			if without := pd.lastMem.File == 0; without != pd.alone {
				t.Errorf("%d bytes: no peer can map it: %v, and it has no file: %v", size, pd.alone, without)
			}
		}
	}
}

// TestAllocCanBeMappedByOthers: the adapter is told from where, and it is the same
// memory.
func TestAllocCanBeMappedByOthers(t *testing.T) {
	d, pd := newDomain(t)
	first := alloc(t, d, 3*mem.PageSize(), mem.All)
	there := asPeer(t, pd.lastMem)
	second := alloc(t, d, mem.PageSize(), mem.All)
	if second.Bytes()[0] != 0 {
		t.Error("not zeros")
	}
	there[0], there[len(there)-1] = 1, 2
	if b := first.Bytes(); b[0] != 1 || b[len(b)-1] != 2 {
		t.Error("what a peer writes is not in the region")
	}
	if !bytes.Equal(second.Bytes(), make([]byte, second.Len())) {
		t.Error("it is in another region")
	}
	again, err := d.RegisterAgain(first, mem.LocalRead)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Free()
	if there := asPeer(t, pd.lastMem); there[0] != 1 {
		t.Error("the same memory, registered again, is elsewhere")
	}
	if _, err := d.Register(first.Bytes()[:10], mem.LocalRead); err != nil {
		t.Fatal(err)
	}
	if pd.lastMem.File != 0 || pd.lastMem.Detach != nil {
		t.Error("a slice of the program has a file")
	}
}

// TestDetachedMemoryIsPrivate: after it, a peer's mapping leads nowhere.
func TestDetachedMemoryIsPrivate(t *testing.T) {
	d, pd := newDomain(t)
	r := alloc(t, d, 2*mem.PageSize(), mem.All)
	m := pd.lastMem
	there := asPeer(t, m)
	copy(there, "before")
	if err := m.Detach(); err != nil {
		t.Fatal(err)
	}
	copy(there, "after!")
	if got := r.Bytes(); string(got[:6]) != "before" {
		t.Errorf("the region holds %q", got[:6])
	}
	again, err := d.RegisterAgain(r, mem.LocalRead)
	if err != nil {
		t.Fatal(err)
	}
	if pd.lastMem.File != 0 || pd.lastMem.Detach != nil {
		t.Error("detached memory is offered for mapping")
	}
	if string(again.Bytes()[:6]) != "before" {
		t.Errorf("the region registered again holds %q", again.Bytes()[:6])
	}
	for _, r := range []*mem.Region{r, again} {
		if err := r.Free(); err != nil {
			t.Fatal(err)
		}
	}
	copy(there, "stale!")
	for range 4 {
		next := alloc(t, d, 2*mem.PageSize(), mem.All)
		copy(there, "stale!")
		if !bytes.Equal(next.Bytes(), make([]byte, next.Len())) {
			t.Fatalf("the memory was used again: %q", next.Bytes()[:6])
		}
	}
}

// TestFreedMemoryLeavesTheFile: a peer that still maps it finds nothing there, and neither its
// late use nor one's own reaches the next region.
func TestFreedMemoryLeavesTheFile(t *testing.T) {
	d, pd := newDomain(t)
	r := alloc(t, d, mem.PageSize(), mem.All)
	there, late := asPeer(t, pd.lastMem), r.Bytes()
	copy(late, "secret")
	if err := r.Free(); err != nil {
		t.Fatal(err)
	}
	if there[0] != 0 {
		t.Errorf("the peer finds %q", there[:6])
	}
	next := alloc(t, d, mem.PageSize(), mem.All)
	copy(late, "late")
	copy(there, "late")
	if next.Bytes()[0] != 0 {
		t.Errorf("the next region begins with %q", next.Bytes()[:6])
	}
}

// TestAllocWithoutDescriptors goes on with memory that has no file.
func TestAllocWithoutDescriptors(t *testing.T) {
	d, pd := newDomain(t)
	for _, size := range []int{mem.PageSize(), 1 << 30} {
		var old unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
			t.Fatal(err)
		}
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 0, Max: old.Max}); err != nil {
			t.Fatal(err)
		}
		r, err := d.Alloc(size, mem.All, mem.AllocConfig{}) // would have a file of its own
		unix.Setrlimit(unix.RLIMIT_NOFILE, &old)
		if err != nil {
			t.Fatal(err)
		}
		if pd.lastMem.File != 0 || pd.lastMem.Detach != nil || r.Len() != size {
			t.Errorf("file %d, %d bytes", pd.lastMem.File, r.Len())
		}
	}
}

// TestFilesHoldOneRegion: a descriptor gives access only to memory that its receiver has the
// key for.
func TestFilesHoldOneRegion(t *testing.T) {
	d, pd := newDomain(t)
	seen := map[uint64]bool{}
	for _, c := range []struct {
		size   int
		rights mem.Rights
		file   bool
	}{
		{1, mem.RemoteRead, true}, {1, mem.All, true}, {60000, mem.RemoteAtomic, true},
		{1, mem.Local, false}, {60000, mem.Local, false}, // nobody maps these
		{1 << 20, mem.Local, true}, {1 << 20, mem.All, true},
	} {
		r := alloc(t, d, c.size, c.rights)
		m := pd.lastMem
		if !m.Own || (m.File != 0) != c.file || (m.Detach != nil) != c.file {
			t.Errorf("%d bytes for %v: %+v", c.size, c.rights, m)
		}
		if m.File == 0 {
			continue
		}
		var st unix.Stat_t
		if err := unix.Fstat(int(m.File), &st); err != nil {
			t.Fatal(err)
		}
		if st.Size != int64(r.Len()) || m.Offset != 0 || seen[st.Ino] {
			t.Errorf("%d bytes for %v: at %d of a file of %d", c.size, c.rights, m.Offset, st.Size)
		}
		seen[st.Ino] = true
	}
}
