package dat_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/compat/dat"
)

// TestPagesForReading: memory that is mapped for reading only is registered for that, and
// for nothing more.
func TestPagesForReading(t *testing.T) {
	b, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(b)
	w := newWorld(t)
	for _, c := range []struct {
		rights dat.MemPrivFlags
		want   dat.Return
	}{
		{dat.MemPrivLocalReadFlag, dat.Success},
		{dat.MemPrivLocalReadFlag | dat.MemPrivRemoteReadFlag, dat.Success},
		{dat.MemPrivLocalReadFlag | dat.MemPrivLocalWriteFlag, dat.PrivilegesViolation},
		{dat.MemPrivAllFlag, dat.PrivilegesViolation},
	} {
		var lmr dat.LMRHandle
		ret := dat.LMRCreate(w.c.ia, dat.MemTypeVirtual, dat.RegionDescription{ForVA: b}, 4096, w.c.pz, c.rights, &lmr, nil, nil, nil, nil)
		want(t, ret, c.want)
		if ret == dat.Success {
			ok(t, dat.LMRFree(lmr))
		}
	}
}
