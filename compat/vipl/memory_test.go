package vipl_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

func TestRegisterMemArguments(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		s, b := newNIC(t, name), make([]byte, 4096)
		var closed vipl.NICHandle
		ok(t, vipl.OpenNic(name, &closed))
		ok(t, vipl.CloseNic(closed))
		other := newNIC(t, name)
		var gone vipl.ProtectionHandle
		ok(t, vipl.CreatePtag(s.nic, &gone))
		ok(t, vipl.DestroyPtag(s.nic, gone))
		for what, c := range map[string]struct {
			nic    vipl.NICHandle
			b      []byte
			length uint64
			ptag   vipl.ProtectionHandle
			want   vipl.Return
		}{
			"length 0":          {s.nic, b, 0, s.ptag, vipl.InvalidParameter},
			"beyond the memory": {s.nic, b, 4097, s.ptag, vipl.InvalidParameter},
			"no memory":         {s.nic, nil, 1, s.ptag, vipl.InvalidParameter},
			"null NIC":          {0, b, 1, s.ptag, vipl.InvalidParameter},
			"closed NIC":        {closed, b, 1, s.ptag, vipl.InvalidParameter},
			"unknown tag":       {s.nic, b, 1, 12345, vipl.InvalidPtag},
			"destroyed tag":     {s.nic, b, 1, gone, vipl.InvalidPtag},
			"another NIC's tag": {s.nic, b, 1, other.ptag, vipl.InvalidPtag},
		} {
			h := vipl.MemHandle(99)
			if ret := vipl.RegisterMem(c.nic, c.b, c.length, &vipl.MemAttributes{Ptag: c.ptag}, &h); ret != c.want || h != 0 {
				t.Errorf("%s: %v, handle %d", what, ret, h)
			}
		}
		want(t, vipl.RegisterMem(s.nic, b, 1, nil, nil), vipl.InvalidParameter)
		var h vipl.MemHandle
		ok(t, vipl.RegisterMem(s.nic, b, 1, nil, &h)) // the NIC's own tag, and no RDMA
		var q vipl.MemAttributes
		if ok(t, vipl.QueryMem(s.nic, b, h, &q)); q != (vipl.MemAttributes{}) {
			t.Fatalf("%+v", q)
		}
		want(t, vipl.QueryMem(s.nic, b[1:], h, &q), vipl.InvalidParameter)
		want(t, vipl.DeregisterMem(s.nic, b[1:], h), vipl.InvalidParameter)
		ok(t, vipl.DeregisterMem(s.nic, b, h))
		want(t, vipl.DeregisterMem(s.nic, b, h), vipl.InvalidParameter)
	})
}

// TestAnyBytesCanBeRegistered: their contents do not change, and exactly they can be reached.
func TestAnyBytesCanBeRegistered(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		all := make([]byte, 3*65536)
		for i := range all {
			all[i] = byte(rand.Uint32())
		}
		before := bytes.Clone(all)
		for _, off := range []int{0, 1, 63, 4095} {
			for _, n := range []int{1, 4095, 4097, 30000} {
				for _, beside := range []int{off + 4095, off + 4096 + n} {
					a, b := pair(t, name)
					m := memory{b: all[off+4096 : off+4096+n]}
					ok(t, vipl.RegisterMem(a.nic, m.b, uint64(n), &vipl.MemAttributes{Ptag: a.ptag, EnableRdmaWrite: true, EnableRdmaRead: true}, &m.handle))
					if !bytes.Equal(all, before) {
						t.Fatal("registering has changed the contents")
					}
					into := b.room(n)
					b.sent(b.postSend(b.desc(vipl.ControlOpRdmaread, far(m, m.b), seg(b.mem, into))), vipl.StatusOpRDMARead)
					if !bytes.Equal(into, m.b) {
						t.Fatal("a read got something else")
					}
					// The byte before and the byte behind are not registered, though they are on its pages.
					d := b.postSend(b.desc(vipl.ControlOpRdmaread, far(m, all[beside:]), seg(b.mem, into[:1])))
					var got *vipl.Descriptor
					want(t, vipl.SendWait(b.vi, second, &got), vipl.DescriptorError)
					if d.CS.Status&(vipl.StatusRDMAProtError|vipl.StatusDescFlushedError) == 0 {
						t.Fatalf("status %#x", d.CS.Status)
					}
					a.hears(vipl.ErrorRdmarProt)
				}
			}
		}
		// QueryNic tells that: see there.
		var q vipl.NICAttributes
		if ok(t, vipl.QueryNic(openNIC(t, name), &q)); q.MaxRegisterBytes < 1<<30 || q.MaxRegisterBytes%uint64(os.Getpagesize()) == 0 || q.MaxRegisterBlockBytes != q.MaxRegisterBytes {
			t.Errorf("%d bytes can be registered, %d at a time", q.MaxRegisterBytes, q.MaxRegisterBlockBytes)
		}
	})
}

func TestARegionMayBeRegisteredTwice(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		first := a.register(make([]byte, 8192), true, true)
		second := memory{b: first.b}
		ok(t, vipl.RegisterMem(a.nic, second.b, 4096, &vipl.MemAttributes{Ptag: a.ptag, EnableRdmaWrite: true}, &second.handle))
		if first.handle == second.handle {
			t.Fatal("one handle")
		}
		ok(t, vipl.DeregisterMem(a.nic, first.b, first.handle))
		src := b.room(4)
		copy(src, "kept")
		b.sent(b.postSend(b.desc(vipl.ControlOpRdmawrite, far(second, second.b), seg(b.mem, src))), vipl.StatusOpRDMAWrite)
		r := a.postRecv(a.desc(0))
		b.sent(b.postSend(b.desc(0)), 0)
		a.received(r, vipl.StatusOpReceive)
		if string(second.b[:4]) != "kept" {
			t.Fatalf("%q", second.b[:4])
		}
	})
}

// TestAVIMayRefuse: without a right of the VI, where the adapter can do that.
func TestAVIMayRefuse(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		s := newSide(t, name)
		wanted := vipl.Success
		if device(name) {
			wanted = vipl.ErrorNotSupported
		}
		for _, attrs := range []vipl.VIAttributes{usual(func(v *vipl.VIAttributes) { v.EnableRdmaWrite = false }), usual(func(v *vipl.VIAttributes) { v.EnableRdmaRead = false })} {
			attrs.Ptag = s.ptag
			var vi vipl.VIHandle
			want(t, vipl.CreateVi(s.nic, &attrs, 0, 0, &vi), wanted)
			want(t, vipl.SetViAttributes(s.vi, &attrs), wanted)
			if (vi == 0) != (wanted != vipl.Success) {
				t.Errorf("the handle is %#x", vi)
			}
		}
	})
}

// TestRDMANeedsEveryRight: of the region and of the VI, and the same tag.
func TestRDMANeedsEveryRight(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		for what, op := range map[string]uint16{"write": vipl.ControlOpRdmawrite, "read": vipl.ControlOpRdmaread} {
			for _, missing := range []string{"region", "VI", "tag", "handle"} {
				if missing == "VI" && device(name) || missing == "region" && what == "read" && strings.HasPrefix(name, "siw") {
					continue // no device has rights of a VI, and siw lets the peer read every region
				}
				a, b := pair(t, name, func(v *vipl.VIAttributes) {
					if missing == "VI" {
						v.EnableRdmaWrite, v.EnableRdmaRead = op == vipl.ControlOpRdmaread, op == vipl.ControlOpRdmawrite
					}
				})
				m := memory{b: bytes.Repeat([]byte{1}, 64)}
				attrs := vipl.MemAttributes{Ptag: a.ptag, EnableRdmaWrite: true, EnableRdmaRead: true}
				if missing == "region" {
					attrs.EnableRdmaWrite, attrs.EnableRdmaRead = op == vipl.ControlOpRdmaread, op == vipl.ControlOpRdmawrite
				}
				if missing == "tag" {
					ok(t, vipl.CreatePtag(a.nic, &attrs.Ptag))
				}
				ok(t, vipl.RegisterMem(a.nic, m.b, 64, &attrs, &m.handle))
				if missing == "handle" {
					m.handle++
				}
				local := b.room(64)
				copy(local, bytes.Repeat([]byte{2}, 64))
				d := b.postSend(b.desc(op, far(m, m.b), seg(b.mem, local)))
				a.hears(map[string]vipl.ErrorCode{"write": vipl.ErrorRdmawProt, "read": vipl.ErrorRdmarProt}[what])
				var got *vipl.Descriptor
				// iWARP may have sent a write before it is refused.
				ret := vipl.SendWait(b.vi, second, &got)
				if got != d || ret == vipl.Success && (!iwarp(name) || op == vipl.ControlOpRdmaread) ||
					ret != vipl.Success && d.CS.Status&(vipl.StatusRDMAProtError|vipl.StatusDescFlushedError) == 0 {
					t.Errorf("%s without the right of the %s: %v, status %#x", what, missing, ret, d.CS.Status)
				}
				if m.b[0] != 1 || local[0] != 2 {
					t.Errorf("%s without the right of the %s: bytes have moved", what, missing)
				}
				if st := a.state(); st != vipl.StateError {
					t.Errorf("%s without the right of the %s: %v", what, missing, st)
				}
			}
		}
	})
}
