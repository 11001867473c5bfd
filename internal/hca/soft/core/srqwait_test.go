package core_test

import (
	"context"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// A connection whose message waits for a shared receive tries to take one whenever it runs. The queue must list
// it only once: otherwise a polling program would fill its memory.
func TestAWaitingConnectionIsRememberedOnce(t *testing.T) {
	for _, path := range []string{"loop", "tcp"} {
		t.Run(path, func(t *testing.T) {
			ok := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			d := soft.Driver(path)
			x := softtest.NewLone(t, d, hca.Options{}, hca.QPConfig{})
			opt := hca.Options{ReceiveWait: time.Minute}
			if path == "loop" { // the sender waits there
				x = softtest.NewLone(t, d, opt, hca.QPConfig{})
			}
			y := softtest.NewLone(t, d, opt, hca.QPConfig{})
			pd, err := y.A.NewPD()
			ok(err)
			srq, err := pd.NewSRQ(hca.SRQConfig{Depth: 64, MaxSGE: 1})
			ok(err)
			cq, err := y.A.NewCQ(hca.CQConfig{Depth: 64})
			ok(err)
			mr, err := pd.Register(hca.Memory{Bytes: make([]byte, 64)}, hca.AllAccess)
			ok(err)
			qp, err := y.A.NewQP(hca.QPConfig{PD: pd, SendCQ: cq, RecvCQ: cq, SRQ: srq, SendDepth: 16})
			ok(err)
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			accepted := make(chan error, 1)
			ln, err := y.A.Listen(ctx, hca.ListenConfig{Address: "127.0.0.1:0", OnRequest: func(r hca.ConnRequest) bool {
				go func() { accepted <- r.Accept(ctx, qp, hca.ConnParams{}) }()
				return true
			}})
			ok(err)
			ok(x.QP.Connect(ctx, ln.Addr(), hca.ConnParams{}))
			ok(<-accepted)
			const n = 8
			var wcs [n]hca.WC
			for i := range n {
				ok(x.QP.PostSend(hca.SendWR{ID: uint64(i), Op: hca.OpSend, Local: x.Seg(8)}))
			}
			for ctx.Err() == nil && core.Waiting(srq) == 0 {
				cq.Poll(wcs[:])
			}
			for range 100 {
				cq.Poll(wcs[:])
				x.CQ.Poll(wcs[:0])
			}
			if w := core.Waiting(srq); w != 1 {
				t.Errorf("one connection waits, and the queue has %d", w)
			}
			// It is called when a receive is posted, each time that it waits.
			for got := 0; got < n; {
				ok(srq.PostRecv(hca.RecvWR{Local: hca.Segment{Addr: mr.Addr(), Len: 8, Key: mr.LKey()}}))
				for k := 0; k == 0; {
					if k = cq.Poll(wcs[:]); k > 0 && wcs[0].Status != hca.StatusOK || ctx.Err() != nil {
						t.Fatalf("receive %d: %+v, %v", got, wcs[0], ctx.Err())
					}
					got += k
				}
				if w := core.Waiting(srq); w > 1 {
					t.Errorf("the queue remembers %d", w)
				}
			}
			// It is removed from the list when it closes.
			ok(x.QP.PostSend(hca.SendWR{Op: hca.OpSend, Local: x.Seg(8)}))
			for ctx.Err() == nil && core.Waiting(srq) == 0 {
				cq.Poll(wcs[:])
			}
			ok(qp.Close())
			if w := core.Waiting(srq); w != 0 {
				t.Errorf("the only connection is closed, and %d wait", w)
			}
		})
	}
}
