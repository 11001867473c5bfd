package fakeibv_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/fakeibv"
)

// A window outlives the connection that it was bound through: the next one binds it again.
func TestWindowOfNextConnection(t *testing.T) {
	r := newRig(t, fakeibv.Config{Seed: 1}, hca.Options{})
	win := made(r.pd.NewWindow(hca.EndpointWindow))(r)
	for n := range 3 {
		x, y := r.newEnd(nil), r.newEnd(nil)
		r.connect(x, y)
		b := &hca.Bind{MW: win, MR: y.mr, Addr: y.mr.Addr(), Len: 64, Access: hca.RemoteWrite}
		r.must(y.qp.PostSend(hca.SendWR{Op: hca.OpBind, Bind: b}))
		if wc := y.take(); wc.Status != hca.StatusOK {
			t.Fatalf("connection %d: the bind: %v", n, wc.Status)
		}
		x.mem[0] = byte(n + 1)
		r.must(x.qp.PostSend(hca.SendWR{Op: hca.OpWrite, Local: x.seg(1), Remote: y.mr.Addr(), RKey: b.Key}))
		if wc := x.take(); wc.Status != hca.StatusOK || y.mem[0] != byte(n+1) {
			t.Fatalf("connection %d: the write: %v, %d", n, wc.Status, y.mem[0])
		}
		r.must(x.qp.Close())
		r.must(y.qp.Close())
	}
}
