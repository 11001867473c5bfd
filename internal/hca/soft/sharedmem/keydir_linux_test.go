package sharedmem_test

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/shm"
)

// TestShmDamagedBoard: a peer's key directory may hold anything. A wrong record can harm the peer's own memory
// at most.
func TestShmDamagedBoard(t *testing.T) {
	defer sharedmem.WithoutProcessMemory()() // both sides are one process here
	nasty := []uint64{0, 1, 7, 4096, 1 << 20, 1<<46 - 1, 1 << 46, 1 << 63, ^uint64(0), ^uint64(0) - 4095}
	for _, word := range sharedmem.KeyRecordFields() {
		for _, v := range nasty {
			misled(t, map[int]uint64{word: v})
			if t.Failed() {
				t.Fatalf("%#x at %d", v, word)
			}
		}
	}
	for _, addr := range nasty { // two that fit together
		for _, size := range nasty {
			misled(t, map[int]uint64{16: addr, 32: addr, 24: size, 40: size})
			misled(t, map[int]uint64{24: size, 40: size, 56: addr})
			if t.Failed() {
				t.Fatalf("address or offset %#x, size %#x", addr, size)
			}
		}
	}
}

// misled makes a use a key of b whose record is false.
func misled(t *testing.T, record map[int]uint64) {
	t.Helper()
	const guard, size = 8192, 16384
	a, b := softtest.Connect(t, "shm", 64, 4*guard)
	m := softtest.FileMemory(t, size)
	granted, err := b.PD.Register(m, hca.AllAccess)
	if err != nil {
		t.Fatal(err)
	}
	into, err := a.PD.Register(hca.Memory{Bytes: a.Mem[guard : guard+size]}, hca.AllAccess)
	if err != nil {
		t.Fatal(err)
	}
	sharedmem.ScribbleKeyRecord(b.QP, granted.RKey(), func(r []byte) {
		for at, v := range record {
			binary.NativeEndian.PutUint64(r[at:], v)
		}
	})
	posted, got := 0, 0
	for round := range 3 {
		for i, op := range []hca.Op{hca.OpWrite, hca.OpRead, hca.OpFetchAdd, hca.OpWrite, hca.OpRead, hca.OpSend} {
			n := []uint32{8, 64, 8, size - 64, size - 64, 9000}[i]
			addr := granted.Addr()
			if base, ok := record[16]; ok && round > 0 {
				addr = base // the place that the record gives
			}
			wr := hca.SendWR{Op: op, Local: hca.Segment{Addr: into.Addr(), Len: n, Key: into.LKey()}, Remote: addr, RKey: granted.RKey()}
			_ = b.QP.PostRecv(hca.RecvWR{Local: hca.Segment{Addr: b.MR.Addr(), Len: 2 * guard, Key: b.MR.LKey()}})
			if a.QP.PostSend(wr) == nil {
				posted++
			}
			var wcs [16]hca.WC
			for range 20 {
				got += a.SendCQ.Poll(wcs[:])
				b.RecvCQ.Poll(wcs[:])
				b.SendCQ.Poll(wcs[:])
			}
		}
	}
	for _, e := range []*softtest.End{a, b} {
		if err := e.QP.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var wcs [16]hca.WC
	for range 4 {
		got += a.SendCQ.Poll(wcs[:])
	}
	if got != posted {
		t.Errorf("%d entries of %d requests", got, posted)
	}
	fresh := make([]byte, len(a.Mem))
	softtest.Fill(fresh)
	copy(fresh[guard:guard+size], a.Mem[guard:])
	if string(a.Mem) != string(fresh) {
		t.Error("memory of the misled side was changed that it has not given")
	}
	for _, mr := range []hca.MR{granted, into} {
		if err := mr.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestShmNonsenseOnTheSocket: no message of a peer on the socket ends the connection, and none of the
// descriptors that it sends stays open.
func TestShmNonsenseOnTheSocket(t *testing.T) {
	a, b := softtest.Connect(t, "shm", 64, 1<<16)
	m := softtest.FileMemory(t, 1<<16)
	granted, err := b.PD.Register(m, hca.AllAccess)
	if err != nil {
		t.Fatal(err)
	}
	defer granted.Close()
	write := func() {
		t.Helper()
		for range 3 { // the first requests the memory, and the others get it
			wr := hca.SendWR{Op: hca.OpWrite, Local: hca.Segment{Addr: a.MR.Addr(), Len: 8192, Key: a.MR.LKey()}, Remote: granted.Addr(), RKey: granted.RKey()}
			if err := a.QP.PostSend(wr); err != nil {
				t.Fatal(err)
			}
			var wcs [1]hca.WC
			for a.SendCQ.Poll(wcs[:]) == 0 {
				var none [1]hca.WC
				b.SendCQ.Poll(none[:])
				runtime.Gosched()
			}
			if wcs[0].Status != hca.StatusOK {
				t.Fatal(wcs[0].Status)
			}
		}
	}
	write()
	plain, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	say := func(message []byte, fds ...int) {
		for {
			err := sharedmem.Talk(b.QP, message, fds...)
			if !errors.Is(err, shm.ErrAgain) {
				break
			}
			runtime.Gosched()
		}
	}
	own, other := int(m.File), int(plain.Fd())
	nonsense := func() {
		for _, with := range [][]int{nil, {other}, {own}, {own, own}, {own, other, own, own, own, own, own, own}} {
			for kind := range uint8(5) {
				id := sharedmem.FileID(own)
				for _, id := range [][2]uint64{{}, {1, 1}, id, {id[0] + 1, id[1]}, {^uint64(0), ^uint64(0)}} {
					say(sharedmem.FileMessage(kind, true, id), with...)
					say(sharedmem.FileMessage(kind, false, id), with...)
				}
			}
			say([]byte{1}, with...)
			say(make([]byte, 4000), with...)
		}
	}
	nonsense()
	write()
	count := softtest.Descriptors(t)
	for range 30 {
		nonsense()
	}
	write()
	// Nonsense may cause a file to be requested later, but not again and again.
	for late := time.Now().Add(30 * time.Second); softtest.Descriptors(t) > count+4; runtime.Gosched() {
		if time.Now().After(late) {
			t.Fatalf("%d descriptors, and %d before", softtest.Descriptors(t), count)
		}
	}
}

// TestShmBoardOfLocalKeys: the key directory holds keys without remote rights, for messages that are fetched
// from their memory. An access cannot use them.
func TestShmBoardOfLocalKeys(t *testing.T) {
	a, b := softtest.Connect(t, "shm", 8, 64)
	for _, m := range []hca.Memory{softtest.FileMemory(t, 1<<16), {Bytes: make([]byte, 1<<16)}} {
		local, err := b.PD.Register(m, hca.LocalRead|hca.LocalWrite)
		if err != nil {
			t.Fatal(err)
		}
		for _, need := range []hca.Access{hca.RemoteRead, hca.RemoteWrite, hca.RemoteAtomic} {
			if sharedmem.Seen(a.QP, local.LKey(), need) {
				t.Errorf("a key without remote rights can be used for %v", need)
			}
		}
		if err := local.Close(); err != nil {
			t.Error(err)
		}
	}
}
