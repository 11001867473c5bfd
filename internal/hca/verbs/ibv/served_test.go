package ibv_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// Functions in Go take the arguments of C, and their results count.
func TestServe(t *testing.T) {
	var got [5]uintptr
	table := map[string]ibv.Func{
		"ibv_create_cq":  func(a [5]uintptr) (uintptr, ibv.Errno) { got = a; return 0, ibv.ENOMEM },
		"ibv_destroy_cq": func([5]uintptr) (uintptr, ibv.Errno) { return ^uintptr(0), ibv.EBUSY },
		"ibv_alloc_pd":   func([5]uintptr) (uintptr, ibv.Errno) { return 4711, ibv.EINVAL },
	}
	lib, release := ibv.Serve(func(name string) ibv.Func { return table[name] })
	if _, e := lib.CreateCQ(1, 2, 3, 4, 5); e != ibv.ENOMEM || got != [5]uintptr{1, 2, 3, 4, 5} {
		t.Errorf("%v, with %v", e, got)
	}
	if e := lib.DestroyCQ(1); e != ibv.EBUSY {
		t.Errorf("-1 and EBUSY came as %v", e)
	}
	if p, e := lib.AllocPD(1); p != 4711 || e != 0 {
		t.Errorf("an address came as %v, %v", p, e)
	}
	if e := lib.DeallocPD(1); e != ibv.ENOSYS {
		t.Errorf("a function that is not there: %v", e)
	}
	release()
	if e := lib.DestroyCQ(1); e != ibv.ENOSYS {
		t.Errorf("after the release: %v", e)
	}
	again, release := ibv.Serve(func(string) ibv.Func { return nil })
	defer release()
	if e := again.DestroyCQ(1); e != ibv.ENOSYS {
		t.Errorf("a function of another table: %v", e)
	}
}

// What a structure is made with is what the adapter reads.
func TestMadeObjects(t *testing.T) {
	d := ibv.NewDevice("fake0", ibv.TransportIB)
	defer ibv.FreeObject(d)
	c, release := ibv.NewContext(d, -7, ibv.Driver{})
	defer release()
	defer ibv.FreeObject(c)
	pd := ibv.NewPD(c)
	defer ibv.FreeObject(pd)
	mr := ibv.NewMR(pd, 4096, 17, 99)
	defer ibv.FreeObject(mr)
	mw := ibv.NewMW(pd, ibv.MWType2, 98)
	defer ibv.FreeObject(mw)
	cq := ibv.NewCQ(c, 0, 5, 6)
	defer ibv.FreeObject(cq)
	cq.SetCQE(8)
	qp := ibv.NewQP(pd, &ibv.QPInitAttr{Context: 3}, 77)
	defer ibv.FreeObject(qp)
	for what, ok := range map[string]bool{
		"device": d.Name() == "fake0" && d.TransportType() == ibv.TransportIB && c.Device() == d && c.AsyncFD() == -7,
		"domain": pd.Context() == c && mr.PD() == pd && mw.PD() == pd && qp.Context() == c,
		"region": mr.Addr() == 4096 && mr.Length() == 17 && mr.LKey() == 99 && mr.RKey() == 99,
		"window": mw.Type() == ibv.MWType2 && mw.RKey() == 98,
		"queue":  cq.CQE() == 8 && cq.UserContext() == 5 && cq.Context() == c,
		"pair":   qp.Num() == 77 && qp.UserContext() == 3,
	} {
		if !ok {
			t.Errorf("%s: it reads something else", what)
		}
	}
}
