package vipl_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/compat/vipl"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// mapped is pages of their own, with rights.
func mapped(t testing.TB, n, rights int) []byte {
	t.Helper()
	b, err := unix.Mmap(-1, 0, n, rights, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(b) })
	return b
}

// TestPagesForReading: they are registered. A peer's write, a local receive and a read into them
// fail, and no byte moves; a peer's read and a send work.
func TestPagesForReading(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		for _, what := range []string{"read and send", "receive", "read into", "write"} {
			a, b := pair(t, name)
			m := memory{b: mapped(t, 4096, unix.PROT_READ)}
			attrs := vipl.MemAttributes{Ptag: a.ptag, EnableRdmaWrite: true, EnableRdmaRead: true}
			ok(t, vipl.RegisterMem(a.nic, m.b, 4096, &attrs, &m.handle))
			ones := b.room(64)
			copy(ones, bytes.Repeat([]byte{1}, 64))
			var got *vipl.Descriptor
			switch what {
			case "read and send":
				b.sent(b.postSend(b.desc(vipl.ControlOpRdmaread, far(m, m.b), seg(b.mem, ones))), vipl.StatusOpRDMARead)
				if ones[0] != 0 || ones[63] != 0 {
					t.Fatalf("%v was read", ones)
				}
				r, _ := b.recv(64)
				a.sent(a.postSend(a.desc(0, seg(m, m.b[:64]))), 0)
				b.received(r, vipl.StatusOpReceive)
			case "receive":
				a.received(a.postRecv(a.desc(0, seg(m, m.b[:8]))), vipl.StatusOpReceive|vipl.StatusProtectionError)
				a.hears(vipl.ErrorConnLost)
			case "read into":
				a.sent(a.postSend(a.desc(vipl.ControlOpRdmaread, far(b.mem, ones), seg(m, m.b[:64]))), vipl.StatusOpRDMARead|vipl.StatusProtectionError)
				a.hears(vipl.ErrorConnLost)
				b.hears(vipl.ErrorConnLost)
			case "write":
				d := b.postSend(b.desc(vipl.ControlOpRdmawrite, far(m, m.b), seg(b.mem, ones)))
				ret := vipl.SendWait(b.vi, second, &got)
				a.hears(vipl.ErrorRdmawProt)
				if ret != vipl.DescriptorError && !iwarp(name) || got != d {
					t.Fatal(ret)
				}
			}
			if !bytes.Equal(m.b, make([]byte, 4096)) {
				t.Fatalf("%s: bytes have moved into pages for reading", what)
			}
			ok(t, vipl.DeregisterMem(a.nic, m.b, m.handle))
		}
		s := newNIC(t, name)
		none := mapped(t, 4096, unix.PROT_NONE)
		h := vipl.MemHandle(1)
		if ret := vipl.RegisterMem(s.nic, none, 4096, nil, &h); ret == vipl.Success || h != 0 {
			t.Fatal(ret, h)
		}
	})
}

// lockedKiB is how much memory of the process is locked.
func lockedKiB(t testing.TB) (n int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmLck:")
	if _, err := fmt.Sscan(rest, &n); err != nil {
		t.Skip(err)
	}
	return n
}

// TestRegisteredPagesAreLocked as long as a region covers them.
func TestRegisteredPagesAreLocked(t *testing.T) {
	s := newNIC(t, "soft-loop")
	b := mapped(t, 64*4096, unix.PROT_READ|unix.PROT_WRITE)
	before := lockedKiB(t)
	var one, two vipl.MemHandle
	ok(t, vipl.RegisterMem(s.nic, b, 40*4096, nil, &one))
	ok(t, vipl.RegisterMem(s.nic, b[30*4096:], 34*4096, nil, &two))
	for _, c := range []struct {
		free func() vipl.Return
		left int // pages
	}{
		{func() vipl.Return { return vipl.Success }, 64},
		{func() vipl.Return { return vipl.DeregisterMem(s.nic, b, one) }, 34},
		{func() vipl.Return { return vipl.DeregisterMem(s.nic, b[30*4096:], two) }, 0},
	} {
		ok(t, c.free())
		if got := lockedKiB(t) - before; got != 4*c.left {
			t.Fatalf("%d KiB are locked, want %d", got, 4*c.left)
		}
	}
}

// TestCloseNicUnlocks what is registered still, also after its tag has changed.
func TestCloseNicUnlocks(t *testing.T) {
	for _, moved := range []bool{false, true} {
		before := lockedKiB(t)
		var nic vipl.NICHandle
		ok(t, vipl.OpenNic("soft-loop", &nic))
		b := mapped(t, 8*4096, unix.PROT_READ|unix.PROT_WRITE)
		var h vipl.MemHandle
		ok(t, vipl.RegisterMem(nic, b, 8*4096, nil, &h))
		if moved {
			var attrs vipl.MemAttributes
			ok(t, vipl.CreatePtag(nic, &attrs.Ptag))
			ok(t, vipl.SetMemAttributes(nic, b, h, &attrs))
		}
		if got := lockedKiB(t) - before; got != 8*4 {
			t.Fatalf("moved %v: %d KiB are locked", moved, got)
		}
		ok(t, vipl.CloseNic(nic))
		if got := lockedKiB(t) - before; got != 0 {
			t.Fatalf("moved %v: %d KiB more are locked after CloseNic", moved, got)
		}
	}
}

// TestNoRoomForARegion: the adapter has no more, and nothing stays locked.
func TestNoRoomForARegion(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		s, faults := failing(t, name)
		b := mapped(t, 8*4096, unix.PROT_READ|unix.PROT_WRITE)
		before := lockedKiB(t)
		faults.Set(rdmatest.RegisterMemory, rdma.ErrResources)
		h := vipl.MemHandle(1)
		want(t, vipl.RegisterMem(s.nic, b, 8*4096, nil, &h), vipl.ErrorResource)
		if got := lockedKiB(t) - before; got != 0 || h != 0 {
			t.Fatalf("handle %d, %d KiB more are locked", h, got)
		}
		faults.Clear()
		ok(t, vipl.RegisterMem(s.nic, b, 8*4096, nil, &h))
		ok(t, vipl.DeregisterMem(s.nic, b, h))
		if got := lockedKiB(t) - before; got != 0 {
			t.Fatalf("%d KiB more are locked", got)
		}
	})
}

// TestFreshPages: pages that nobody has touched are registered as they are.
func TestFreshPages(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		m := memory{b: mapped(t, 8*4096, unix.PROT_READ|unix.PROT_WRITE)}
		attrs := vipl.MemAttributes{Ptag: a.ptag, EnableRdmaWrite: true, EnableRdmaRead: true}
		ok(t, vipl.RegisterMem(a.nic, m.b, 8*4096, &attrs, &m.handle))
		into := b.room(8 * 4096)
		for i := range into {
			into[i] = 1
		}
		b.sent(b.postSend(b.desc(vipl.ControlOpRdmaread, far(m, m.b), seg(b.mem, into))), vipl.StatusOpRDMARead)
		for i := range into {
			if into[i] != 0 || m.b[i] != 0 {
				t.Fatalf("byte %d is %d, and was read as %d", i, m.b[i], into[i])
			}
		}
		ok(t, vipl.DeregisterMem(a.nic, m.b, m.handle))
	})
}

// limited lets the test lock n more bytes, and no more. The limit does not hold for a user with
// the capability IPC_LOCK, so the thread of the test gives that up. The thread ends with the test:
// the kernel serves an RDMA device's file only with the credentials that it was opened with.
func limited(t *testing.T, n int) {
	t.Helper()
	runtime.LockOSThread()
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &was); err != nil {
		t.Skip(err)
	}
	now := unix.Rlimit{Cur: uint64(lockedKiB(t)<<10 + n), Max: was.Max}
	if err := unix.Setrlimit(unix.RLIMIT_MEMLOCK, &now); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { unix.Setrlimit(unix.RLIMIT_MEMLOCK, &was) })
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var caps [2]unix.CapUserData // of this thread
	if err := unix.Capget(&head, &caps[0]); err != nil {
		t.Skip(err)
	}
	caps[0].Effective &^= 1 << unix.CAP_IPC_LOCK
	if err := unix.Capset(&head, &caps[0]); err != nil {
		t.Skip(err)
	}
}

// TestLockedMemoryHasALimit: beyond it nothing is registered, nor locked.
func TestLockedMemoryHasALimit(t *testing.T) {
	s := newNIC(t, "soft-loop")
	b := mapped(t, 5*4096, unix.PROT_READ|unix.PROT_WRITE)
	limited(t, 4*4096)
	before := lockedKiB(t)
	var attrs vipl.MemAttributes
	ok(t, vipl.CreatePtag(s.nic, &attrs.Ptag))
	h := vipl.MemHandle(1)
	want(t, vipl.RegisterMem(s.nic, b, 5*4096, &attrs, &h), vipl.ErrorResource)
	ok(t, vipl.DestroyPtag(s.nic, attrs.Ptag)) // no region has it
	if got := lockedKiB(t); got != before || h != 0 {
		t.Fatalf("handle %d, %d KiB more are locked", h, got-before)
	}
	var again vipl.MemHandle
	ok(t, vipl.RegisterMem(s.nic, b, 4*4096, nil, &h))
	ok(t, vipl.RegisterMem(s.nic, b[1:], 3*4096, nil, &again)) // its pages are locked
	want(t, vipl.RegisterMem(s.nic, b[1:], 4*4096, nil, &again), vipl.ErrorResource)
	if got := lockedKiB(t) - before; got != 4*4 {
		t.Fatalf("%d KiB more are locked", got)
	}
}
