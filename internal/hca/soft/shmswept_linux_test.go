package soft_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
)

// await waits for the queue to have something, as somebody does who sleeps: nothing is
// polled meanwhile.
func await(t *testing.T, cq hca.CQ) {
	t.Helper()
	for over := time.Now().Add(time.Minute); !cq.(hca.Peeker).Ready(); runtime.Gosched() {
		if time.Now().After(over) {
			t.Fatal("nothing came within a minute")
		}
	}
}

// TestShmSweepGoesOnWithALargeMessage: who sweeps takes the turn of those who find the
// gates shut meanwhile, and what is too much for one is not left lying.
func TestShmSweepGoesOnWithALargeMessage(t *testing.T) {
	const size = 8 << 20 // several turns
	a, b := connect(t, "shm", 8, size)
	seg := func(e *end) hca.Segment { return hca.Segment{Addr: e.mr.Addr(), Len: size, Key: e.mr.LKey()} }
	if err := b.qp.PostRecv(hca.RecvWR{Local: seg(b)}); err != nil {
		t.Fatal(err)
	}
	if err := b.rcq.Arm(); err != nil {
		t.Fatal(err)
	}
	soft.SweepAround(b.qp, func() {
		if err := a.qp.PostSend(hca.SendWR{Op: hca.OpSend, Local: seg(a)}); err != nil {
			t.Fatal(err)
		}
	})
	await(t, b.rcq)
	var wcs [2]hca.WC
	if n := b.rcq.Poll(wcs[:]); n != 1 || wcs[0].Status != hca.StatusOK || wcs[0].Len != size {
		t.Fatalf("%+v", wcs[:n])
	}
}

// post posts a request and waits for its end.
func (e *end) post(t *testing.T, wr hca.SendWR) {
	t.Helper()
	if err := e.qp.PostSend(wr); err != nil {
		t.Fatal(err)
	}
	e.ended(t)
}

func (e *end) ended(t *testing.T) {
	t.Helper()
	if wc := pollN(t, e.scq, 1)[0]; wc.Status != hca.StatusOK {
		t.Fatalf("a request ended with %v", wc.Status)
	}
}

// TestShmSweepLeavesWhatIsUnderWay: windows have led to the region last, and have gone. What
// is being written to by the region's own key, which is good, stays.
func TestShmSweepLeavesWhatIsUnderWay(t *testing.T) {
	const size = 8 << 20                // several turns
	defer soft.WithoutProcessMemory()() // there is no other way to the memory
	a, b := connect(t, "shm", 8, size)
	shared := fileMemory(t, size)
	mr, err := b.pd.Register(shared, hca.AllAccess)
	if err != nil {
		t.Fatal(err)
	}
	window := func() (hca.MW, hca.Key) {
		w, err := b.pd.NewWindow(hca.ZoneWindow)
		if err != nil {
			t.Fatal(err)
		}
		bind := hca.Bind{MW: w, MR: mr, Addr: mr.Addr(), Len: size, Access: hca.RemoteWrite}
		b.post(t, hca.SendWR{Op: hca.OpBind, Bind: &bind})
		return w, bind.Key
	}
	write := func(key hca.Key, n uint32) hca.SendWR {
		return hca.SendWR{Op: hca.OpWrite, Local: hca.Segment{Addr: a.mr.Addr(), Len: n, Key: a.mr.LKey()}, Remote: mr.Addr(), RKey: key}
	}
	mapped := func(key hca.Key) {
		for !soft.Mapped(a.qp, key) {
			a.post(t, write(key, 8))
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
	soft.SweepAround(a.qp, func() {
		if err := a.qp.PostSend(write(mr.RKey(), size)); err != nil {
			t.Fatal(err)
		}
	})
	a.ended(t)
	if string(shared.Bytes) != string(a.mem) {
		t.Fatal("not all was written")
	}
}
