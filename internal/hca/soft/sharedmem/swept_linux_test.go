package sharedmem_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestShmSweepGoesOnWithALargeMessage: a sweep does the work of goroutines that find the gates shut meanwhile,
// and schedules what exceeds one run.
func TestShmSweepGoesOnWithALargeMessage(t *testing.T) {
	const size = 8 << 20 // several runs
	a, b := softtest.Connect(t, "shm", 8, size)
	seg := func(e *softtest.End) hca.Segment { return hca.Segment{Addr: e.MR.Addr(), Len: size, Key: e.MR.LKey()} }
	if err := b.QP.PostRecv(hca.RecvWR{Local: seg(b)}); err != nil {
		t.Fatal(err)
	}
	if err := b.RecvCQ.Arm(); err != nil {
		t.Fatal(err)
	}
	sharedmem.SweepAround(b.QP, func() {
		if err := a.QP.PostSend(hca.SendWR{Op: hca.OpSend, Local: seg(a)}); err != nil {
			t.Fatal(err)
		}
	})
	softtest.Await(t, b.RecvCQ)
	var wcs [2]hca.WC
	if n := b.RecvCQ.Poll(wcs[:]); n != 1 || wcs[0].Status != hca.StatusOK || wcs[0].Len != size {
		t.Fatalf("%+v", wcs[:n])
	}
}

// TestShmSweepLeavesWhatIsUnderWay: windows, which are gone, have led to the region last. A transfer under way
// with the region's own valid key continues.
func TestShmSweepLeavesWhatIsUnderWay(t *testing.T) {
	const size = 8 << 20                     // several runs
	defer sharedmem.WithoutProcessMemory()() // there is no other way to the memory
	a, b := softtest.Connect(t, "shm", 8, size)
	shared := softtest.FileMemory(t, size)
	mr, err := b.PD.Register(shared, hca.AllAccess)
	if err != nil {
		t.Fatal(err)
	}
	window := func() (hca.MW, hca.Key) {
		w, err := b.PD.NewWindow(hca.ZoneWindow)
		if err != nil {
			t.Fatal(err)
		}
		bind := hca.Bind{MW: w, MR: mr, Addr: mr.Addr(), Len: size, Access: hca.RemoteWrite}
		b.Post(t, hca.SendWR{Op: hca.OpBind, Bind: &bind})
		return w, bind.Key
	}
	write := func(key hca.Key, n uint32) hca.SendWR {
		return hca.SendWR{Op: hca.OpWrite, Local: hca.Segment{Addr: a.MR.Addr(), Len: n, Key: a.MR.LKey()}, Remote: mr.Addr(), RKey: key}
	}
	mapped := func(key hca.Key) {
		for !sharedmem.Mapped(a.QP, key) {
			a.Post(t, write(key, 8))
		}
	}
	w1, k1 := window()
	mapped(k1)
	mapped(mr.RKey())
	w2, k2 := window()
	mapped(k2)
	for _, w := range []hca.MW{w1, w2} {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	sharedmem.SweepAround(a.QP, func() {
		if err := a.QP.PostSend(write(mr.RKey(), size)); err != nil {
			t.Fatal(err)
		}
	})
	a.Ended(t)
	if string(shared.Bytes) != string(a.Mem) {
		t.Fatal("not all was written")
	}
}
