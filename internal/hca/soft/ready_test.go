package soft_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// Within the process a request is complete when its post returns, and Ready reports its entry, also in the ring
// after a resize.
func TestReadyTellsOfEntries(t *testing.T) {
	a, b := softtest.Connect(t, "loop", 16, 4096)
	q := a.SendCQ.(hca.Peeker)
	ready := func(want bool, when string) {
		t.Helper()
		if q.Ready() != want {
			t.Fatalf("%s: ready is %v", when, !want)
		}
	}
	write := func() {
		t.Helper()
		wr := hca.SendWR{Op: hca.OpWrite, Local: hca.Segment{Addr: a.MR.Addr(), Len: 8, Key: a.MR.LKey()}, Remote: b.MR.Addr(), RKey: b.MR.RKey()}
		if err := a.QP.PostSend(wr); err != nil {
			t.Fatal(err)
		}
	}
	var wc [1]hca.WC
	ready(false, "at first")
	write()
	ready(true, "after a write")
	write()
	if a.SendCQ.Poll(wc[:]) != 1 {
		t.Fatal("no entry")
	}
	ready(true, "with one of two taken")
	if a.SendCQ.Poll(wc[:]) != 1 {
		t.Fatal("no entry")
	}
	ready(false, "with both taken")
	if err := a.SendCQ.Resize(8); err != nil {
		t.Fatal(err)
	}
	ready(false, "resized")
	write()
	ready(true, "after a write behind the resize")
	if a.SendCQ.Poll(wc[:]) != 1 {
		t.Fatal("no entry")
	}
	ready(false, "at the end")
}

// On other paths Ready reports only existing entries: it makes no progress itself.
func TestReadyIsFollowedByAnEntry(t *testing.T) {
	for _, path := range softtest.Paths() {
		t.Run(path, func(t *testing.T) {
			a, b := softtest.Connect(t, path, 16, 4096)
			wr := hca.SendWR{Op: hca.OpWrite, Local: hca.Segment{Addr: a.MR.Addr(), Len: 8, Key: a.MR.LKey()}, Remote: b.MR.Addr(), RKey: b.MR.RKey()}
			if err := a.QP.PostSend(wr); err != nil {
				t.Fatal(err)
			}
			var wc [2]hca.WC
			for n := 0; n == 0; {
				ready := a.SendCQ.(hca.Peeker).Ready()
				if n = a.SendCQ.Poll(wc[:]); n == 0 && ready {
					t.Fatal("it was ready, and there is nothing")
				}
			}
			if a.SendCQ.(hca.Peeker).Ready() {
				t.Fatal("ready with nothing left")
			}
		})
	}
}
