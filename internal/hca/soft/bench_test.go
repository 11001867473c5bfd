package soft_test

import (
	"context"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
)

type end struct {
	a        hca.Adapter
	pd       hca.PD
	scq, rcq hca.CQ
	qp       hca.QP
	mr       hca.MR
	mem      []byte
	sent     chan struct{} // somebody who has armed scq is notified
}

func newEnd(tb testing.TB, path string, depth, size int) *end {
	tb.Helper()
	return newEndWith(tb, path, depth, size, hca.Options{})
}

func newEndWith(tb testing.TB, path string, depth, size int, opt hca.Options) *end {
	tb.Helper()
	e := end{sent: make(chan struct{}, 1)}
	var err error
	d := soft.Driver(path)
	if e.a, err = d.Open(context.Background(), d.Names()[0], opt); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { e.a.Close() })
	if e.pd, err = e.a.NewPD(); err != nil {
		tb.Fatal(err)
	}
	notify := func() {
		select {
		case e.sent <- struct{}{}:
		default:
		}
	}
	if e.scq, err = e.a.NewCQ(hca.CQConfig{Depth: depth, Notify: notify}); err != nil {
		tb.Fatal(err)
	}
	if e.rcq, err = e.a.NewCQ(hca.CQConfig{Depth: depth}); err != nil {
		tb.Fatal(err)
	}
	e.mem = make([]byte, size)
	fill(e.mem)
	if e.mr, err = e.pd.Register(hca.Memory{Bytes: e.mem}, hca.AllAccess); err != nil {
		tb.Fatal(err)
	}
	e.qp, err = e.a.NewQP(hca.QPConfig{PD: e.pd, SendCQ: e.scq, RecvCQ: e.rcq, SendDepth: depth, RecvDepth: depth, ReadsIn: 16, ReadsOut: 16})
	if err != nil {
		tb.Fatal(err)
	}
	return &e
}

func connect(tb testing.TB, path string, depth, size int) (a, b *end) {
	tb.Helper()
	a, b = newEnd(tb, path, depth, size), newEnd(tb, path, depth, size)
	join(tb, a, b)
	return a, b
}

// join connects two ends.
func join(tb testing.TB, a, b *end) {
	tb.Helper()
	done := make(chan error, 1)
	l, err := b.a.Listen(context.Background(), hca.ListenConfig{Address: "127.0.0.1:0", OnRequest: func(r hca.ConnRequest) bool {
		go func() { done <- r.Accept(context.Background(), b.qp, hca.ConnParams{}) }()
		return true
	}})
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	if err := a.qp.Connect(context.Background(), l.Addr(), hca.ConnParams{}); err != nil {
		tb.Fatal(err)
	}
	if err := <-done; err != nil {
		tb.Fatal(err)
	}
}

func BenchmarkLoopWrite8(b *testing.B) {
	for _, depth := range []int{1, 16} {
		b.Run(map[int]string{1: "lockstep", 16: "depth16"}[depth], func(b *testing.B) {
			x, y := connect(b, "loop", 64, 4096)
			wr := hca.SendWR{Op: hca.OpWrite, Local: hca.Segment{Addr: x.mr.Addr(), Len: 8, Key: x.mr.LKey()}, Remote: y.mr.Addr(), RKey: y.mr.RKey()}
			var wc [16]hca.WC
			b.ReportAllocs()
			for i := 0; i < b.N; i += depth {
				for range depth {
					if err := x.qp.PostSend(wr); err != nil {
						b.Fatal(err)
					}
				}
				if n := x.scq.Poll(wc[:]); n != depth || wc[0].Status != hca.StatusOK {
					b.Fatal(n, wc[0])
				}
			}
		})
	}
}

func BenchmarkLoopWrite1M(b *testing.B) {
	const size = 1 << 20
	b.Run("copy", func(b *testing.B) {
		dst, src := make([]byte, size), make([]byte, size)
		fill(src) // untouched memory is one page of zeros, and too fast to read
		fill(dst)
		b.SetBytes(size)
		for b.Loop() {
			copy(dst, src)
		}
	})
	b.Run("write", func(b *testing.B) {
		x, y := connect(b, "loop", 64, size)
		wr := hca.SendWR{Op: hca.OpWrite, Local: hca.Segment{Addr: x.mr.Addr(), Len: size, Key: x.mr.LKey()}, Remote: y.mr.Addr(), RKey: y.mr.RKey()}
		var wc [16]hca.WC
		b.SetBytes(size)
		for b.Loop() {
			if err := x.qp.PostSend(wr); err != nil {
				b.Fatal(err)
			}
			for x.scq.Poll(wc[:]) == 0 {
			}
		}
	})
}

func fill(b []byte) {
	for i := range b {
		b[i] = byte(i * 7)
	}
}

// BenchmarkLoopSendLate posts messages first and the receives for them second.
func BenchmarkLoopSendLate(b *testing.B) {
	const depth = 16
	x, y := connect(b, "loop", 64, 4096)
	send := hca.SendWR{Op: hca.OpSend, Local: hca.Segment{Addr: x.mr.Addr(), Len: 8, Key: x.mr.LKey()}}
	recv := hca.RecvWR{Local: hca.Segment{Addr: y.mr.Addr(), Len: 8, Key: y.mr.LKey()}}
	var wc [depth]hca.WC
	b.ReportAllocs()
	for i := 0; i < b.N; i += depth {
		for range depth {
			if err := x.qp.PostSend(send); err != nil {
				b.Fatal(err)
			}
		}
		for range depth {
			if err := y.qp.PostRecv(recv); err != nil {
				b.Fatal(err)
			}
		}
		for _, cq := range []hca.CQ{x.scq, y.rcq} {
			for n := 0; n < depth; n += cq.Poll(wc[:]) {
			}
		}
	}
}
