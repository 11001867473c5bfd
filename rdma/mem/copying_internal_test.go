package mem

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// anyPD registers anything.
type anyPD struct{ hca.PD }

func (anyPD) Register(hca.Memory, hca.Access) (hca.MR, error) { return anyMR{}, nil }

type anyMR struct{ hca.MR }

func (anyMR) Addr() uint64  { return 0 }
func (anyMR) LKey() hca.Key { return 1 }
func (anyMR) RKey() hca.Key { return 0 }
func (anyMR) Close() error  { return nil }

// TestFreeWaitsForCopies: after Free, the program's slice is the program's again. No ReadAt or
// WriteAt that began before is still at it.
func TestFreeWaitsForCopies(t *testing.T) {
	d := newDomain(anyPD{}, "zone A", 1)
	defer d.Close(false)
	r, err := d.Register(make([]byte, 100), Local)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.hold("write to", 0); err != nil { // as WriteAt begins
		t.Fatal(err)
	}
	var copied atomic.Bool
	freed := make(chan bool)
	go func() {
		r.Free()
		freed <- copied.Load()
	}()
	for !r.Freed() {
		runtime.Gosched()
	}
	if n, err := r.ReadAt(make([]byte, 1), 0); n != 0 || err == nil {
		t.Errorf("a copy begins behind Free: %d, %v", n, err)
	}
	for range 1000 {
		runtime.Gosched()
	}
	copied.Store(true)
	r.release()
	if !<-freed {
		t.Error("Free has returned before the copy has")
	}
}
