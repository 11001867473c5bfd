package inproc_test

import (
	"bytes"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

func TestThePosterMakesSmallCopies(t *testing.T) {
	a, b := softtest.Connect(t, "loop", 16, 4096)
	plain := a.QP.(hca.PlainPoster)
	for _, n := range []int{1, 8, 100, 4096} {
		clear(b.Mem)
		must(t, plain.PostPlainWrite(1, 0, part(a, 0, n), b.MR.Addr(), b.MR.RKey()))
		if !ready(a.SendCQ) || !bytes.Equal(a.Mem[:n], b.Mem[:n]) {
			t.Errorf("a write of %d bytes was not done when its post returned", n)
		}
		entries(t, a.SendCQ, hca.StatusOK)

		clear(b.Mem)
		must(t, b.QP.PostRecv(hca.RecvWR{Local: part(b, 0, 4096)}))
		must(t, plain.PostPlainSend(2, 0, part(a, 0, n)))
		if !ready(a.SendCQ) || !ready(b.RecvCQ) || !bytes.Equal(a.Mem[:n], b.Mem[:n]) {
			t.Errorf("a send of %d bytes was not done when its post returned", n)
		}
		entries(t, a.SendCQ, hca.StatusOK)
		if wc := entries(t, b.RecvCQ, hca.StatusOK)[0]; wc.Len != uint64(n) {
			t.Errorf("a send of %d bytes came with %d", n, wc.Len)
		}
	}
}

// A post returns after one piece. Nobody polls, so the engine makes the other copies.
func TestTheEngineMakesTheOtherPieces(t *testing.T) {
	const size = 5*rawmem.PieceSize + 3
	a, b := softtest.Connect(t, "loop", 16, size)
	for _, wr := range []hca.SendWR{
		{Op: hca.OpWrite, Local: part(a, 0, size), Remote: b.MR.Addr(), RKey: b.MR.RKey()},
		{Op: hca.OpSend, Local: part(a, 0, size)},
	} {
		clear(b.Mem)
		must(t, b.QP.PostRecv(hca.RecvWR{Local: part(b, 0, size)}))
		must(t, a.QP.PostSend(wr))
		softtest.Await(t, a.SendCQ)
		entries(t, a.SendCQ, hca.StatusOK)
		if !bytes.Equal(a.Mem, b.Mem) {
			t.Errorf("%v: the bytes differ", wr.Op)
		}
	}
	entries(t, b.RecvCQ, hca.StatusOK) // of the send; the write took none
}

// TestAWriteWithImmediateIsDoneAtOnce: the completions of both sides are there when the post returns.
func TestAWriteWithImmediateIsDoneAtOnce(t *testing.T) {
	a, b := softtest.Connect(t, "loop", 16, 4096)
	for _, n := range []int{0, 1, 8, 100, 4096} {
		clear(b.Mem)
		must(t, b.QP.PostRecv(hca.RecvWR{ID: 3}))
		must(t, a.QP.PostSend(hca.SendWR{Op: hca.OpWriteImm, Imm: 77, Local: part(a, 0, n), Remote: b.MR.Addr(), RKey: b.MR.RKey()}))
		if !ready(a.SendCQ) || !ready(b.RecvCQ) || !bytes.Equal(a.Mem[:n], b.Mem[:n]) {
			t.Fatalf("a write of %d bytes was not done when its post returned", n)
		}
		if wc := entries(t, a.SendCQ, hca.StatusOK)[0]; wc.Op != hca.OpWriteImm {
			t.Errorf("%d bytes: the request completes as %v", n, wc.Op)
		}
		if wc := entries(t, b.RecvCQ, hca.StatusOK)[0]; wc.Op != hca.OpRecvWriteImm || wc.Len != uint64(n) || wc.Imm != 77 || wc.ID != 3 {
			t.Errorf("%d bytes: %+v", n, wc)
		}
	}
}

// TestAWriteWithImmediateWritesOnce: also one that waits for its receive. What the peer puts there meanwhile stays.
func TestAWriteWithImmediateWritesOnce(t *testing.T) {
	a, b := softtest.Connect(t, "loop", 16, 64)
	a.Mem[0], b.Mem[0] = 1, 0
	must(t, a.QP.PostSend(hca.SendWR{Op: hca.OpWriteImm, Local: part(a, 0, 8), Remote: b.MR.Addr(), RKey: b.MR.RKey()}))
	if b.Mem[0] != 1 || ready(a.SendCQ) {
		t.Fatal("the write does not come before its receive")
	}
	b.Mem[0] = 2
	must(t, b.QP.PostRecv(hca.RecvWR{}))
	entries(t, a.SendCQ, hca.StatusOK)
	entries(t, b.RecvCQ, hca.StatusOK)
	if b.Mem[0] != 2 {
		t.Error("it was written twice")
	}
}

// TestARefusedWriteWithImmediateFlushesItsReceive: once.
func TestARefusedWriteWithImmediateFlushesItsReceive(t *testing.T) {
	a, b := softtest.Connect(t, "loop", 16, 64)
	clear(b.Mem)
	must(t, b.QP.PostRecv(hca.RecvWR{ID: 3}))
	must(t, a.QP.PostSend(hca.SendWR{Op: hca.OpWriteImm, Local: part(a, 0, 8), Remote: b.MR.Addr() + 60, RKey: b.MR.RKey()}))
	entries(t, a.SendCQ, hca.StatusRemoteAccess)
	if wcs := entries(t, b.RecvCQ, hca.StatusFlushed); len(wcs) != 1 || wcs[0].ID != 3 {
		t.Errorf("%+v", wcs)
	}
	if !bytes.Equal(b.Mem, make([]byte, 64)) {
		t.Error("bytes were written")
	}
}
