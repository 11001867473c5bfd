package vipl_test

import (
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

// TestFaultsOfADescriptor: what is wrong with it shows in its status, and ends the
// connection; what comes before it is done, and what comes behind it is flushed.
func TestFaultsOfADescriptor(t *testing.T) {
	for what, c := range map[string]struct {
		make   func(b *side, there vipl.DescriptorSegment) *vipl.Descriptor
		status uint32
	}{
		"an operation that does not exist": {func(b *side, _ vipl.DescriptorSegment) *vipl.Descriptor {
			return b.desc(vipl.ControlOpReserved)
		}, vipl.StatusFormatError},
		"a reserved bit": {func(b *side, _ vipl.DescriptorSegment) *vipl.Descriptor {
			return b.desc(0x10)
		}, vipl.StatusFormatError},
		"no address segment": {func(b *side, _ vipl.DescriptorSegment) *vipl.Descriptor {
			return b.desc(vipl.ControlOpRdmawrite)
		}, vipl.StatusFormatError | vipl.StatusOpRDMAWrite},
		"too many segments": {func(b *side, _ vipl.DescriptorSegment) *vipl.Descriptor {
			return b.desc(0, make([]vipl.DescriptorSegment, 300)...)
		}, vipl.StatusFormatError},
		"longer than the VI allows": {func(b *side, _ vipl.DescriptorSegment) *vipl.Descriptor {
			return b.desc(0, seg(b.mem, b.mem.b[:32769]))
		}, vipl.StatusFormatError},
		"another length than its segments": {func(b *side, _ vipl.DescriptorSegment) *vipl.Descriptor {
			d := b.desc(0, seg(b.mem, b.mem.b[:8]))
			d.CS.Length++
			return d
		}, vipl.StatusLengthError},
		"a write of another length than its segment": {func(b *side, there vipl.DescriptorSegment) *vipl.Descriptor {
			d := b.desc(vipl.ControlOpRdmawrite, there, seg(b.mem, b.mem.b[:8]))
			d.CS.Length--
			return d
		}, vipl.StatusLengthError | vipl.StatusOpRDMAWrite},
		"a write with a length, and a data segment that does not count": {func(b *side, there vipl.DescriptorSegment) *vipl.Descriptor {
			d := b.desc(vipl.ControlOpRdmawrite, there, seg(b.mem, b.mem.b[:8]))
			d.CS.SegCount = 1
			return d
		}, vipl.StatusLengthError | vipl.StatusOpRDMAWrite},
		"a write longer than the VI allows": {func(b *side, there vipl.DescriptorSegment) *vipl.Descriptor {
			return b.desc(vipl.ControlOpRdmawrite, there, seg(b.mem, b.mem.b[:32769]))
		}, vipl.StatusFormatError | vipl.StatusOpRDMAWrite},
		"a reserved field of a write": {func(b *side, there vipl.DescriptorSegment) *vipl.Descriptor {
			d := b.desc(vipl.ControlOpRdmawrite, there, seg(b.mem, b.mem.b[:8]))
			d.CS.Reserved = 1
			return d
		}, vipl.StatusFormatError | vipl.StatusOpRDMAWrite},
		"a reserved field of a write's address": {func(b *side, there vipl.DescriptorSegment) *vipl.Descriptor {
			there.Remote().Reserved = 1
			return b.desc(vipl.ControlOpRdmawrite, there, seg(b.mem, b.mem.b[:8]))
		}, vipl.StatusFormatError | vipl.StatusOpRDMAWrite},
		"a write from outside of the region": {func(b *side, there vipl.DescriptorSegment) *vipl.Descriptor {
			s := seg(b.mem, b.mem.b[:8])
			s.Local.Data--
			return b.desc(vipl.ControlOpRdmawrite, there, s)
		}, vipl.StatusProtectionError | vipl.StatusOpRDMAWrite},
		"a write from behind the region": {func(b *side, there vipl.DescriptorSegment) *vipl.Descriptor {
			s := seg(b.mem, b.mem.b[len(b.mem.b)-8:])
			s.Local.Data++
			return b.desc(vipl.ControlOpRdmawrite, there, s)
		}, vipl.StatusProtectionError | vipl.StatusOpRDMAWrite},
		"a write from memory of another tag": {func(b *side, there vipl.DescriptorSegment) *vipl.Descriptor {
			m := memory{b: make([]byte, 8)}
			ok(b.t, vipl.RegisterMem(b.nic, m.b, 8, nil, &m.handle))
			return b.desc(vipl.ControlOpRdmawrite, there, seg(m, m.b))
		}, vipl.StatusProtectionError | vipl.StatusOpRDMAWrite},
		"a write from an unknown handle": {func(b *side, there vipl.DescriptorSegment) *vipl.Descriptor {
			s := seg(b.mem, b.mem.b[:8])
			s.Local.Handle++
			return b.desc(vipl.ControlOpRdmawrite, there, s)
		}, vipl.StatusProtectionError | vipl.StatusOpRDMAWrite},
		"an unknown handle": {func(b *side, there vipl.DescriptorSegment) *vipl.Descriptor {
			s := seg(b.mem, b.mem.b[:8])
			s.Local.Handle++
			return b.desc(vipl.ControlOpRdmaread, there, s)
		}, vipl.StatusProtectionError | vipl.StatusOpRDMARead},
		"memory outside of the region": {func(b *side, _ vipl.DescriptorSegment) *vipl.Descriptor {
			s := seg(b.mem, b.mem.b[:8])
			s.Local.Data--
			return b.desc(0, s)
		}, vipl.StatusProtectionError},
		"memory of another tag": {func(b *side, _ vipl.DescriptorSegment) *vipl.Descriptor {
			m := memory{b: make([]byte, 8)}
			ok(b.t, vipl.RegisterMem(b.nic, m.b, 8, nil, &m.handle))
			return b.desc(0, seg(m, m.b))
		}, vipl.StatusProtectionError},
	} {
		t.Run(what, func(t *testing.T) {
			everywhere(t, func(t *testing.T, name string) {
				a, b := pair(t, name)
				r := a.postRecv(a.desc(0))
				last, _ := a.recv(8)
				write := func() *vipl.Descriptor {
					return b.postSend(b.desc(vipl.ControlOpRdmawrite, far(a.mem, a.mem.b), seg(b.mem, b.mem.b[:8])))
				}
				first := write() // its memory is known to the queue from now on
				before := b.postSend(b.desc(0))
				d := b.postSend(c.make(b, far(a.mem, a.mem.b)))
				behind, write2 := b.postSend(b.desc(0)), write()
				b.sent(first, vipl.StatusOpRDMAWrite)
				b.sent(before, 0)
				b.sent(d, c.status)
				b.sent(behind, vipl.StatusDescFlushedError)
				b.sent(write2, vipl.StatusOpRDMAWrite|vipl.StatusDescFlushedError)
				if st := b.state(); st != vipl.StateError {
					t.Fatal(st)
				}
				a.received(r, vipl.StatusOpReceive)
				a.received(last, vipl.StatusOpReceive|vipl.StatusDescFlushedError)
				a.hears(vipl.ErrorConnLost)
				b.hears(vipl.ErrorConnLost)
			})
		})
	}
}

func TestWhereADescriptorMayLie(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		s := newSide(t, name)
		outside := vipl.DescriptorAt(vipl.Memalign(64, 64))
		other := memory{b: vipl.Memalign(64, 4096)}
		ok(t, vipl.RegisterMem(s.nic, other.b, 4096, nil, &other.handle))
		short := memory{b: vipl.Memalign(64, 4096)}
		ok(t, vipl.RegisterMem(s.nic, short.b, 64, &vipl.MemAttributes{Ptag: s.ptag}, &short.handle))
		long := vipl.DescriptorAt(short.b)
		long.CS.SegCount = 3
		for what, c := range map[string]struct {
			d *vipl.Descriptor
			h vipl.MemHandle
		}{
			"nowhere": {nil, s.mem.handle}, "unregistered memory": {outside, s.mem.handle}, "memory of another tag": {vipl.DescriptorAt(other.b), other.handle},
			"partly outside": {long, short.handle}, "behind the end": {vipl.DescriptorAt(short.b[64:]), short.handle},
			"an unknown handle": {vipl.DescriptorAt(s.mem.b), s.mem.handle + 1},
		} {
			if ret := vipl.PostSend(s.vi, c.d, c.h); ret != vipl.InvalidParameter {
				t.Errorf("send in %s: %v", what, ret)
			}
			if ret := vipl.PostRecv(s.vi, c.d, c.h); ret != vipl.InvalidParameter {
				t.Errorf("receive in %s: %v", what, ret)
			}
		}
		if vipl.DescriptorAt(s.mem.b[32:]) != nil || vipl.DescriptorAt(s.mem.b[:63]) != nil || vipl.SegmentsOf(s.mem.b[1:]) != nil {
			t.Error("a descriptor where none can be")
		}
	})
}

// TestTwoVIsOneRegion: any VI with the tag may use a region.
func TestTwoVIsOneRegion(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		c := newSide(t, name)
		second := *b
		ok(t, vipl.CreateVi(b.nic, &b.attrs, 0, 0, &second.vi))
		connect(c, &second)
		m := b.room(8)
		for _, x := range []struct{ from, to *side }{{b, a}, {&second, c}} {
			second.used = b.used
			r, _ := x.to.recv(8)
			x.from.sent(x.from.postSend(x.from.desc(0, seg(b.mem, m))), 0)
			x.to.received(r, vipl.StatusOpReceive)
			b.used = max(b.used, second.used)
		}
	})
}

// TestDeregisteredWhilePosted: a descriptor whose memory has gone completes with an error.
func TestDeregisteredWhilePosted(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		m := a.register(make([]byte, 256), false, false)
		r := a.postRecv(a.desc(0, seg(m, m.b[:8])))
		ok(t, vipl.DeregisterMem(a.nic, m.b, m.handle))
		b.postSend(b.desc(0, seg(b.mem, b.mem.b[:8])))
		a.received(r, vipl.StatusOpReceive|vipl.StatusProtectionError)
		a.hears(vipl.ErrorConnLost)
		b.hears(vipl.ErrorConnLost)
	})
}

// TestQueuesForgetARegion: memory that was used last, for a descriptor and for data, is not known any
// more when it was deregistered, or has another tag.
func TestQueuesForgetARegion(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		for _, how := range []string{"deregistered", "another tag"} {
			a, b := pair(t, name)
			m := a.register(make([]byte, 512), true, true)
			r, w := vipl.DescriptorAt(m.b), vipl.DescriptorAt(m.b[64:])
			r.CS.SegCount, r.DS[0] = 1, seg(m, m.b[128:136])
			*w = *a.desc(vipl.ControlOpRdmawrite, far(b.mem, b.room(8)), seg(m, m.b[128:136]))
			post := func(wanted vipl.Return) {
				t.Helper()
				want(t, vipl.PostRecv(a.vi, r, m.handle), wanted)
				want(t, vipl.PostSend(a.vi, w, m.handle), wanted)
			}
			post(vipl.Success)
			a.sent(w, vipl.StatusOpRDMAWrite)
			if !vipl.Keeps(a.vi) {
				t.Fatal("the queues have no region")
			}
			if how == "deregistered" {
				ok(t, vipl.DeregisterMem(a.nic, m.b, m.handle))
			} else if ret := vipl.SetMemAttributes(a.nic, m.b, m.handle, &vipl.MemAttributes{}); device(name) {
				want(t, ret, vipl.ErrorNotSupported)
				continue
			} else {
				ok(t, ret)
			}
			if vipl.Keeps(a.vi) {
				t.Fatal(how, ": the queues keep the region")
			}
			post(vipl.InvalidParameter)
			again := *w
			w = a.desc(vipl.ControlOpRdmawrite, far(b.mem, b.room(8)), again.DS[1])
			a.sent(a.postSend(w), vipl.StatusOpRDMAWrite|vipl.StatusProtectionError)
			a.hears(vipl.ErrorConnLost)
		}
	})
}
