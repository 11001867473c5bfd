package sharedmem_test

import (
	"encoding/binary"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestShmAllRegionsOfDetachedMemory: memory is registered several times, in zones of two adapters, and a peer was stopped
// inside of one of the regions. None of them leads to the file any more once the memory is detached from it, and no key
// can be used meanwhile.
func TestShmAllRegionsOfDetachedMemory(t *testing.T) {
	t.Cleanup(sharedmem.StuckTime(0))
	_, b := softtest.Connect(t, "shm", 8, 64)
	_, d := softtest.Connect(t, "shm", 8, 64)
	type region struct {
		end *softtest.End
		mr  hca.MR
	}
	var regions []region
	m, detached := softtest.FileMemory(t, 4096), 0
	m.Detach = func() error {
		detached++
		for i, r := range regions {
			if _, usable := sharedmem.Listed(r.end.QP, r.mr.RKey()); usable {
				t.Errorf("the key of region %d can be used meanwhile", i)
			}
		}
		return nil
	}
	for _, e := range []*softtest.End{b, b, d} {
		mr, err := e.PD.Register(m, hca.AllAccess)
		if err != nil {
			t.Fatal(err)
		}
		regions = append(regions, region{e, mr})
	}
	w, inside := window(t, b, regions[0].mr)
	sharedmem.StayInside(b.QP, inside)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if detached != 1 {
		t.Fatalf("the memory was detached %d times", detached)
	}
	for i, r := range regions {
		if _, usable := sharedmem.Listed(r.end.QP, r.mr.RKey()); !usable {
			t.Errorf("the key of region %d cannot be used afterwards", i)
		}
		sharedmem.ScribbleKeyRecord(r.end.QP, r.mr.RKey(), func(record []byte) {
			if binary.NativeEndian.Uint64(record[48:]) != 0 {
				t.Errorf("region %d still leads to the file", i)
			}
		})
	}
}
