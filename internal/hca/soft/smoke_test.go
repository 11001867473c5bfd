package soft_test

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

func pollN(t testing.TB, cq hca.CQ, n int) []hca.WC {
	t.Helper()
	var out []hca.WC
	var wc [16]hca.WC
	for i := 0; len(out) < n; i++ {
		k := cq.Poll(wc[:min(len(wc), n-len(out))]) // the rest is for who asks next
		out = append(out, wc[:k]...)
		if i > 200_000_000 {
			t.Fatalf("only %d of %d entries came", len(out), n)
		}
	}
	return out
}

func TestEveryOperationMovesItsData(t *testing.T) {
	for _, path := range paths() {
		t.Run(path, func(t *testing.T) {
			const size = 1 << 20
			a, b := connect(t, path, 64, size)
			seg := func(e *end, off, n int) hca.Segment {
				return hca.Segment{Addr: e.mr.Addr() + uint64(off), Len: uint32(n), Key: e.mr.LKey()}
			}
			for i := range b.mem {
				b.mem[i] = 0
			}
			post := func(wr hca.SendWR) hca.WC {
				t.Helper()
				if err := a.qp.PostSend(wr); err != nil {
					t.Fatal(err)
				}
				wc := pollN(t, a.scq, 1)[0]
				if wc.Status != hca.StatusOK {
					t.Fatalf("%v: %v", wr.Op, wc.Status)
				}
				return wc
			}
			for _, n := range []int{0, 1, 7, 4096, 65537, size} {
				clear(b.mem)
				post(hca.SendWR{Op: hca.OpWrite, Local: seg(a, 0, n), Remote: b.mr.Addr(), RKey: b.mr.RKey()})
				if err := b.qp.PostRecv(hca.RecvWR{ID: 9}); err != nil {
					t.Fatal(err)
				}
				post(hca.SendWR{Op: hca.OpSend})
				pollN(t, b.rcq, 1)
				if !bytes.Equal(a.mem[:n], b.mem[:n]) || n < size && b.mem[n] != 0 {
					t.Fatalf("write of %d", n)
				}
				clear(b.mem)
				if err := b.qp.PostRecv(hca.RecvWR{ID: 10, Local: seg(b, 0, size)}); err != nil {
					t.Fatal(err)
				}
				post(hca.SendWR{Op: hca.OpSend, Local: seg(a, 0, n)})
				wc := pollN(t, b.rcq, 1)[0]
				if wc.ID != 10 || int(wc.Len) != n || !bytes.Equal(a.mem[:n], b.mem[:n]) {
					t.Fatalf("send of %d: %+v", n, wc)
				}
				fill(b.mem)
				for i := range a.mem {
					a.mem[i] = 1
				}
				post(hca.SendWR{Op: hca.OpRead, Local: seg(a, 0, n), Remote: b.mr.Addr(), RKey: b.mr.RKey()})
				if !bytes.Equal(a.mem[:n], b.mem[:n]) || n < size && a.mem[n] != 1 {
					t.Fatalf("read of %d", n)
				}
				fill(a.mem)
			}
			clear(b.mem[:8])
			b.mem[0] = 5
			post(hca.SendWR{Op: hca.OpFetchAdd, Local: seg(a, 0, 8), Remote: b.mr.Addr(), RKey: b.mr.RKey(), Operand: 3})
			if a.mem[0] != 5 || b.mem[0] != 8 {
				t.Fatal("fetch-add", a.mem[0], b.mem[0])
			}
			post(hca.SendWR{Op: hca.OpCompareSwap, Local: seg(a, 0, 8), Remote: b.mr.Addr(), RKey: b.mr.RKey(), Compare: 8, Operand: 77})
			if a.mem[0] != 8 || b.mem[0] != 77 {
				t.Fatal("compare-swap", a.mem[0], b.mem[0])
			}
			if err := b.qp.PostRecv(hca.RecvWR{ID: 11}); err != nil {
				t.Fatal(err)
			}
			post(hca.SendWR{Op: hca.OpWriteImm, Local: seg(a, 0, 100), Remote: b.mr.Addr(), RKey: b.mr.RKey(), Imm: 0xabcd})
			wc := pollN(t, b.rcq, 1)[0]
			if wc.Op != hca.OpRecvWriteImm || wc.Imm != 0xabcd || wc.Len != 100 {
				t.Fatalf("%+v", wc)
			}
		})
	}
}

// paths are those of this system.
func paths() []string {
	if runtime.GOOS == "linux" {
		return []string{"loop", "shm", "tcp"}
	}
	return []string{"loop", "tcp"}
}
