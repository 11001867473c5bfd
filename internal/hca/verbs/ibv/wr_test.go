package ibv_test

import (
	"runtime"
	"testing"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// The union's members lie where the opcode's reader looks for them; the offsets
// are those of verbs.h.
func TestSendWRUnion(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("devices are for amd64 and arm64, and so are the layouts; this is ", runtime.GOARCH)
	}
	a := array[ibv.SendWR](t, 1)
	w := &a.S[0]
	raw := func(off int) []byte { return bytesAt(a.Addr(0)+uintptr(off), 8) }
	le := func(v uint64, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(v >> (8 * i))
		}
		return string(b)
	}
	want := func(what string, off, n int, v uint64) {
		t.Helper()
		if got := string(raw(off)[:n]); got != le(v, n) {
			t.Errorf("%s at %d: %x, want %x", what, off, got, le(v, n))
		}
	}
	const addr, rkey = 0x1122334455667788, 0x99aabbcc
	w.SetRDMA(addr, rkey)
	want("rdma.remote_addr", 40, 8, addr)
	want("rdma.rkey", 48, 4, rkey)

	*w = ibv.SendWR{}
	w.SetFetchAdd(addr, rkey, 7)
	want("atomic.remote_addr", 40, 8, addr)
	want("atomic.compare_add", 48, 8, 7)
	want("atomic.rkey", 64, 4, rkey)

	*w = ibv.SendWR{}
	w.SetCompareSwap(addr, rkey, 8, 9)
	want("atomic.compare_add", 48, 8, 8)
	want("atomic.swap", 56, 8, 9)
	want("atomic.rkey", 64, 4, rkey)

	*w = ibv.SendWR{}
	w.SetBindMW(0x42, rkey, ibv.MWBindInfo{MR: 0x43, Addr: addr, Length: 44, Access: 5})
	want("bind_mw.mw", 80, 8, 0x42)
	want("bind_mw.rkey", 88, 4, rkey)
	want("bind_mw.bind_info.mr", 96, 8, 0x43)
	want("bind_mw.bind_info.addr", 104, 8, addr)
	want("bind_mw.bind_info.length", 112, 8, 44)
	want("bind_mw.bind_info.mw_access_flags", 120, 4, 5)

	w.SetImm(0x01020304)
	if got := string(raw(36)[:4]); got != "\x01\x02\x03\x04" {
		t.Errorf("immediate data is sent as %x", got)
	}
	w.SetInvalidate(rkey)
	want("invalidate_rkey", 36, 4, rkey)

	wc := ibv.WC{ImmOrKey: w.ImmOrKey}
	if wc.InvalidatedKey() != rkey {
		t.Errorf("the key invalidated is %#x", wc.InvalidatedKey())
	}
	w.SetImm(0x01020304)
	wc.ImmOrKey = w.ImmOrKey
	if wc.Imm() != 0x01020304 {
		t.Errorf("immediate data is received as %#x", wc.Imm())
	}
}

func TestIncRKey(t *testing.T) {
	for k, want := range map[uint32]uint32{0x1200: 0x1201, 0x12ff: 0x1200, 0xffffffff: 0xffffff00} {
		if got := ibv.IncRKey(k); got != want {
			t.Errorf("after %#x comes %#x, want %#x", k, got, want)
		}
	}
}
