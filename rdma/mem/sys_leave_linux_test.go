package mem_test

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/rdma/mem"
)

// descriptors are those that are open.
func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// TestLeaveWithoutDescriptors: a region under an ID gives its descriptor back, and with it the lock on
// the ID, also if the process has none left to tidy the folder with.
func TestLeaveWithoutDescriptors(t *testing.T) {
	d, _ := newDomain(t)
	_, s := shared(t, 1)
	before := descriptors(t)
	id := idOf(t)
	r, err := d.RegisterShared(s.Bytes(), id, mem.Local)
	if err != nil {
		t.Fatal(err)
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	none := limit
	none.Cur = 0
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	err = r.Free()
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if after := descriptors(t); err != nil || after != before {
		t.Errorf("%v; %d descriptors are open, %d were before", err, after, before)
	}
	r, err = d.RegisterShared(s.Bytes()[:1], id, mem.Local) // the ID is free for other memory
	if err != nil {
		t.Fatal(err)
	}
	r.Free()
}
