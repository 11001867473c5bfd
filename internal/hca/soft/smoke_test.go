package soft_test

import (
	"bytes"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

func TestEveryOperationMovesItsData(t *testing.T) {
	for _, path := range softtest.Paths() {
		t.Run(path, func(t *testing.T) {
			const size = 1 << 20
			a, b := softtest.Connect(t, path, 64, size)
			seg := func(e *softtest.End, off, n int) hca.Segment {
				return hca.Segment{Addr: e.MR.Addr() + uint64(off), Len: uint32(n), Key: e.MR.LKey()}
			}
			for i := range b.Mem {
				b.Mem[i] = 0
			}
			post := func(wr hca.SendWR) hca.WC {
				t.Helper()
				if err := a.QP.PostSend(wr); err != nil {
					t.Fatal(err)
				}
				wc := softtest.PollN(t, a.SendCQ, 1)[0]
				if wc.Status != hca.StatusOK {
					t.Fatalf("%v: %v", wr.Op, wc.Status)
				}
				return wc
			}
			for _, n := range []int{0, 1, 7, 4096, 65537, size} {
				clear(b.Mem)
				post(hca.SendWR{Op: hca.OpWrite, Local: seg(a, 0, n), Remote: b.MR.Addr(), RKey: b.MR.RKey()})
				if err := b.QP.PostRecv(hca.RecvWR{ID: 9}); err != nil {
					t.Fatal(err)
				}
				post(hca.SendWR{Op: hca.OpSend})
				softtest.PollN(t, b.RecvCQ, 1)
				if !bytes.Equal(a.Mem[:n], b.Mem[:n]) || n < size && b.Mem[n] != 0 {
					t.Fatalf("write of %d", n)
				}
				clear(b.Mem)
				if err := b.QP.PostRecv(hca.RecvWR{ID: 10, Local: seg(b, 0, size)}); err != nil {
					t.Fatal(err)
				}
				post(hca.SendWR{Op: hca.OpSend, Local: seg(a, 0, n)})
				wc := softtest.PollN(t, b.RecvCQ, 1)[0]
				if wc.ID != 10 || int(wc.Len) != n || !bytes.Equal(a.Mem[:n], b.Mem[:n]) {
					t.Fatalf("send of %d: %+v", n, wc)
				}
				softtest.Fill(b.Mem)
				for i := range a.Mem {
					a.Mem[i] = 1
				}
				post(hca.SendWR{Op: hca.OpRead, Local: seg(a, 0, n), Remote: b.MR.Addr(), RKey: b.MR.RKey()})
				if !bytes.Equal(a.Mem[:n], b.Mem[:n]) || n < size && a.Mem[n] != 1 {
					t.Fatalf("read of %d", n)
				}
				softtest.Fill(a.Mem)
			}
			clear(b.Mem[:8])
			b.Mem[0] = 5
			post(hca.SendWR{Op: hca.OpFetchAdd, Local: seg(a, 0, 8), Remote: b.MR.Addr(), RKey: b.MR.RKey(), Operand: 3})
			if a.Mem[0] != 5 || b.Mem[0] != 8 {
				t.Fatal("fetch-add", a.Mem[0], b.Mem[0])
			}
			post(hca.SendWR{Op: hca.OpCompareSwap, Local: seg(a, 0, 8), Remote: b.MR.Addr(), RKey: b.MR.RKey(), Compare: 8, Operand: 77})
			if a.Mem[0] != 8 || b.Mem[0] != 77 {
				t.Fatal("compare-swap", a.Mem[0], b.Mem[0])
			}
			if err := b.QP.PostRecv(hca.RecvWR{ID: 11}); err != nil {
				t.Fatal(err)
			}
			post(hca.SendWR{Op: hca.OpWriteImm, Local: seg(a, 0, 100), Remote: b.MR.Addr(), RKey: b.MR.RKey(), Imm: 0xabcd})
			wc := softtest.PollN(t, b.RecvCQ, 1)[0]
			if wc.Op != hca.OpRecvWriteImm || wc.Imm != 0xabcd || wc.Len != 100 {
				t.Fatalf("%+v", wc)
			}
		})
	}
}
