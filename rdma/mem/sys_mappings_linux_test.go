package mem_test

import (
	"errors"
	"math/bits"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
	"github.com/godapl/godapl/rdma/mem"
)

// TestOutOfMappings: when others have nearly all mappings, allocating fails and says why,
// and the program goes on.
func TestOutOfMappings(t *testing.T) {
	most := shm.MostMappings()
	if most > 1<<20 {
		t.Skipf("vm.max_map_count is %d: it would take too long to use them up", most)
	}
	if bits.UintSize == 32 {
		t.Skip("32 bits of addresses are used up before the mappings")
	}
	const size = 32 << 20 // a mapping for each
	d, _ := newDomain(t)
	others := most - most/8 - 200 - mappings(t)
	b, err := unix.Mmap(-1, 0, others*mem.PageSize(), unix.PROT_READ, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(b)
	for at := 0; at < len(b); at += 2 * mem.PageSize() { // every other page is a mapping now
		if err := unix.Mprotect(b[at:at+mem.PageSize()], unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	var all []*mem.Region
	for err == nil && len(all) < 5000 {
		var r *mem.Region
		if r, err = d.Alloc(size, mem.Local, mem.AllocConfig{}); err == nil {
			all = append(all, r)
		}
	}
	t.Logf("%d regions; %d mappings of %d: %v", len(all), mappings(t), most, err)
	if !errors.Is(err, hca.Resources) || !strings.Contains(err.Error(), "vm.max_map_count") {
		t.Errorf("after %d regions: %v", len(all), err)
	}
	if n := mappings(t); n > most-most/16 {
		t.Errorf("%d mappings of %d are used up", n, most)
	}
	goOn := make([][]byte, 64)
	for i := range goOn {
		goOn[i] = make([]byte, 4<<20)
		goOn[i][0] = 1
	}
	for _, r := range all {
		if err := r.Free(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLockedMemoryIsFreed: the system takes no pages away that the program has locked.
func TestLockedMemoryIsFreed(t *testing.T) {
	d, _ := newDomain(t)
	r := alloc(t, d, mem.PageSize(), mem.Local)
	late := r.Bytes()
	if err := unix.Mlock(late); err != nil {
		t.Skip("the system locks no memory: ", err)
	}
	defer unix.Munlock(late)
	copy(late, "secret")
	if err := r.Free(); err != nil {
		t.Fatal(err)
	}
	if late[0] != 0 {
		t.Errorf("late use finds %q", late[:6])
	}
}
