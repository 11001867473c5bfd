package fakeibv_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs"
	"github.com/godapl/godapl/internal/hca/verbs/fakeibv"
)

// The accepting side's device takes messages before its connection manager knows that the
// connection is established. If Accept is given up in between, the receives are flushed,
// as those of any connection that was never made: also one whose completion nobody had
// taken from the device yet.
func TestMessageBeforeEstablished(t *testing.T) {
	given := 0
	for seed := range uint64(400) {
		synctest.Test(t, func(t *testing.T) {
			w := fakeibv.New(fakeibv.Config{Seed: seed, Stepped: true})
			defer w.Close()
			h := &history{t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 1)), w: w, total: map[string]int{}}
			d := verbs.Simulated(w.Lib(), w.Names(), w.Addrs())
			h.openNode(d, "fake0")
			n := h.nodes[0]
			x, y := h.newParty(n), h.newParty(n)
			x.peer, y.peer, x.tried, y.tried = y, x, true, true
			y.receive()
			h.call(func() { x.done(x.qp.Connect(t.Context(), n.ln.Addr(), hca.ConnParams{})) })
			ctx, cancel := context.WithCancel(t.Context())
			for step := 0; !x.begun(); h.settle() {
				h.w.Step()
				if step++; step > 100 {
					t.Fatal("no connection")
				}
				if r := h.asked(n); r != nil {
					h.call(func() { y.done(r.Accept(ctx, y.qp, hca.ConnParams{})) })
				}
			}
			h.settle()
			if err := x.qp.PostSend(hca.SendWR{ID: x.id(false, 0), Op: hca.OpSend, Local: hca.Segment{Addr: x.mr.Addr(), Len: 8, Key: x.mr.LKey()}}); err != nil {
				t.Fatal(err)
			}
			x.posted = append(x.posted, book{op: hca.OpSend})
			for range h.rng.IntN(4) {
				h.w.Step()
				h.settle()
			}
			if !y.begun() {
				given++
			}
			cancel()
			h.settle()
			h.end()
		})
	}
	if given == 0 {
		t.Error("Accept was never given up before the connection was established")
	}
}
