package fakeibv_test

import (
	"errors"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/fakeibv"
)

// lending is two connections of a side with one endpoint window, of which bind is a bind.
func lending(t *testing.T) (r *rig, x1, y1, y2 *end, win hca.MW, bind func() *hca.Bind) {
	r = newRig(t, fakeibv.Config{Seed: 1}, hca.Options{})
	win = made(r.pd.NewWindow(hca.EndpointWindow))(r)
	x1, y1, y2 = r.newEnd(nil), r.newEnd(nil), r.newEnd(nil)
	r.connect(x1, y1)
	r.connect(r.newEnd(nil), y2)
	return r, x1, y1, y2, win, func() *hca.Bind {
		return &hca.Bind{MW: win, MR: y1.mr, Addr: y1.mr.Addr(), Len: 64, Access: hca.RemoteWrite}
	}
}

// writes reports whether x can write to y under a key.
func (r *rig) writes(x, y *end, key hca.Key) bool {
	r.must(x.qp.PostSend(hca.SendWR{Op: hca.OpWrite, Local: x.seg(1), Remote: y.mr.Addr(), RKey: key}))
	return x.take().Status == hca.StatusOK
}

// TestABoundWindowThroughAnotherConnection is refused at the post: a device does not unbind it there, and a bind would end
// the connection.
func TestABoundWindowThroughAnotherConnection(t *testing.T) {
	r, x1, y1, y2, win, bind := lending(t)
	b := bind()
	r.must(y1.qp.PostSend(hca.SendWR{Op: hca.OpBind, Bind: b}))
	if wc := y1.take(); wc.Status != hca.StatusOK {
		t.Fatal(wc.Status)
	}
	for what, b := range map[string]*hca.Bind{"unbind": {MW: win}, "bind": bind()} {
		var e *hca.Error
		if err := y2.qp.PostSend(hca.SendWR{Op: hca.OpBind, Bind: b}); !errors.As(err, &e) || e.Code != hca.State {
			t.Errorf("%s through another connection: %v", what, err)
		}
	}
	if !r.writes(x1, y1, b.Key) {
		t.Error("the window is not bound any more")
	}
}

func TestAnUnbindThroughItsConnectionEndsTheAccess(t *testing.T) {
	r, x1, y1, _, win, bind := lending(t)
	b := bind()
	r.must(y1.qp.PostSend(hca.SendWR{Op: hca.OpBind, Bind: b}))
	y1.take()
	r.must(y1.qp.PostSend(hca.SendWR{Op: hca.OpBind, Bind: &hca.Bind{MW: win}}))
	if wc := y1.take(); wc.Status != hca.StatusOK {
		t.Fatal(wc.Status)
	}
	if r.writes(x1, y1, b.Key) {
		t.Error("behind the unbind the peer can write")
	}
}

// TestBindsInOneList see one another.
func TestBindsInOneList(t *testing.T) {
	r, x1, y1, _, win, bind := lending(t)
	b, again := bind(), bind()
	for _, list := range [][]hca.SendWR{
		{{Op: hca.OpBind, Bind: b}, {Op: hca.OpBind, Bind: &hca.Bind{MW: win}}},
		{{Op: hca.OpBind, Bind: again}},
		{{Op: hca.OpBind, Bind: &hca.Bind{MW: win}}, {Op: hca.OpBind, Bind: bind()}},
	} {
		if n, err := y1.qp.PostSends(list); n != len(list) || err != nil {
			t.Fatalf("%d of %d: %v", n, len(list), err)
		}
		for range list {
			if wc := y1.take(); wc.Status != hca.StatusOK {
				t.Error(wc.Status)
			}
		}
	}
	if r.writes(x1, y1, b.Key) {
		t.Error("behind an unbind in the same list the peer can write")
	}
}
