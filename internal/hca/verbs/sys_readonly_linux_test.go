package verbs_test

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca"
)

// TestReadOnlyMemory: what is mapped for reading only is sent from and read by the
// peer, is not written, and has no windows.
func TestReadOnlyMemory(t *testing.T) {
	eachDevice(t, func(t *testing.T, a hca.Adapter) {
		b := must(unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE))(t)
		defer unix.Munmap(b)
		copy(b, "constant")
		if err := unix.Mprotect(b, unix.PROT_READ); err != nil {
			t.Fatal(err)
		}
		memory := hca.Memory{Bytes: b}
		if _, err := must(a.NewPD())(t).Register(memory, hca.LocalRead|hca.LocalWrite); !errors.Is(err, hca.Privileges) {
			t.Errorf("registered for writing: %v", err)
		}
		x, y := pair(t, a)
		pd := x.pd
		m := must(pd.Register(memory, hca.LocalRead|hca.RemoteRead))(t)
		y.must(y.qp.PostRecv(hca.RecvWR{Local: y.seg(8)}))
		x.must(x.qp.PostSend(hca.SendWR{Op: hca.OpSend, Local: hca.Segment{Addr: m.Addr(), Len: 8, Key: m.LKey()}}))
		x.take(x.sq, 1)
		y.take(y.rq, 1)
		if got := string(y.mem[:8]); got != "constant" {
			t.Errorf("%q arrived", got)
		}
		clear(y.mem)
		y.must(y.qp.PostSend(hca.SendWR{Op: hca.OpRead, Local: y.seg(8), Remote: m.Addr(), RKey: m.RKey()}))
		y.take(y.sq, 1)
		if got := string(y.mem[:8]); got != "constant" {
			t.Errorf("%q was read", got)
		}
		if a.Attr().Caps&hca.CapZoneWindows == 0 {
			return
		}
		w := must(pd.NewWindow(hca.ZoneWindow))(t)
		bind := hca.SendWR{Op: hca.OpBind, Bind: &hca.Bind{MW: w, MR: m, Addr: m.Addr(), Len: 8, Access: hca.RemoteRead}}
		if err := x.qp.PostSend(bind); !errors.Is(err, hca.Privileges) {
			t.Errorf("a window was bound to it: %v", err)
		}
	})
}
