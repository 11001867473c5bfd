package shm_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/godapl/godapl/internal/shm"
)

// TestMappingsAreCounted: each mapping is counted while it exists, also when mapping
// fails.
func TestMappingsAreCounted(t *testing.T) {
	before := shm.Mappings()
	f := newFile(t, 4*page)
	m := made(f.Map(0, page, shm.ReadWrite))(t)
	s := made(shm.NewSegment("test", page, 0))(t)
	if n := shm.Mappings() - before; n != 2 {
		t.Errorf("%d mappings, 2 are there", n)
	}
	must(t, m.Unmap())
	wants(t, "second Unmap", m.Unmap(), shm.ErrClosed)
	must(t, s.Close())
	must(t, f.Close())
	_, err := f.Map(0, page, shm.ReadWrite)
	wants(t, "Map", err, shm.ErrClosed)
	if n := shm.Mappings() - before; n != 0 {
		t.Errorf("%d mappings are left", n)
	}
}

// TestMappingsOfTheProcess: the count agrees with the kernel's list.
func TestMappingsOfTheProcess(t *testing.T) {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	all, most := shm.SysMappings()
	if n := bytes.Count(text, []byte("\n")); all < n/2 || all > 2*n || most != shm.MostMappings() || most < 1000 {
		t.Errorf("%d of %d, listed are %d", all, most, n)
	}
}
