package soft_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

func BenchmarkLoopWrite8(b *testing.B) {
	for _, depth := range []int{1, 16} {
		b.Run(map[int]string{1: "lockstep", 16: "depth16"}[depth], func(b *testing.B) {
			x, y := softtest.Connect(b, "loop", 64, 4096)
			wr := hca.SendWR{Op: hca.OpWrite, Local: hca.Segment{Addr: x.MR.Addr(), Len: 8, Key: x.MR.LKey()}, Remote: y.MR.Addr(), RKey: y.MR.RKey()}
			var wc [16]hca.WC
			b.ReportAllocs()
			for i := 0; i < b.N; i += depth {
				for range depth {
					if err := x.QP.PostSend(wr); err != nil {
						b.Fatal(err)
					}
				}
				if n := x.SendCQ.Poll(wc[:]); n != depth || wc[0].Status != hca.StatusOK {
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
		softtest.Fill(src) // untouched memory is a single page of zeros, and too fast to read
		softtest.Fill(dst)
		b.SetBytes(size)
		for b.Loop() {
			copy(dst, src)
		}
	})
	b.Run("write", func(b *testing.B) {
		x, y := softtest.Connect(b, "loop", 64, size)
		wr := hca.SendWR{Op: hca.OpWrite, Local: hca.Segment{Addr: x.MR.Addr(), Len: size, Key: x.MR.LKey()}, Remote: y.MR.Addr(), RKey: y.MR.RKey()}
		var wc [16]hca.WC
		b.SetBytes(size)
		for b.Loop() {
			if err := x.QP.PostSend(wr); err != nil {
				b.Fatal(err)
			}
			for x.SendCQ.Poll(wc[:]) == 0 {
			}
		}
	})
}

// BenchmarkLoopSendLate posts messages first and their receives second.
func BenchmarkLoopSendLate(b *testing.B) {
	const depth = 16
	x, y := softtest.Connect(b, "loop", 64, 4096)
	send := hca.SendWR{Op: hca.OpSend, Local: hca.Segment{Addr: x.MR.Addr(), Len: 8, Key: x.MR.LKey()}}
	recv := hca.RecvWR{Local: hca.Segment{Addr: y.MR.Addr(), Len: 8, Key: y.MR.LKey()}}
	var wc [depth]hca.WC
	b.ReportAllocs()
	for i := 0; i < b.N; i += depth {
		for range depth {
			if err := x.QP.PostSend(send); err != nil {
				b.Fatal(err)
			}
		}
		for range depth {
			if err := y.QP.PostRecv(recv); err != nil {
				b.Fatal(err)
			}
		}
		for _, cq := range []hca.CQ{x.SendCQ, y.RecvCQ} {
			for n := 0; n < depth; n += cq.Poll(wc[:]) {
			}
		}
	}
}
