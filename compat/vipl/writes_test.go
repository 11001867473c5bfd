package vipl_test

import (
	"bytes"
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

// TestWhereAWriteMayLie: the descriptor of a write is checked, too, if the one before lay in the same memory.
func TestWhereAWriteMayLie(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		m := memory{b: vipl.Memalign(64, 512)}
		ok(t, vipl.RegisterMem(b.nic, m.b, 160, &vipl.MemAttributes{Ptag: b.ptag}, &m.handle)) // the third descriptor is outside by half
		good := vipl.DescriptorAt(m.b)
		*good = *b.desc(vipl.ControlOpRdmawrite, far(a.mem, a.mem.b), seg(b.mem, b.room(8)))
		post := func() {
			t.Helper()
			ok(t, vipl.PostSend(b.vi, good, m.handle))
			b.sent(good, vipl.StatusOpRDMAWrite)
		}
		for what, at := range map[string][]byte{
			"not aligned": m.b[72:], "partly outside": m.b[128:], "behind the end": m.b[192:], "before the beginning": b.room(64),
		} {
			post()
			d := descriptorAt(at)
			*d = *good
			if ret := vipl.PostSend(b.vi, d, m.handle); ret != vipl.InvalidParameter {
				t.Errorf("%s: %v", what, ret)
			}
			if ret := vipl.PostSend(b.vi, good, m.handle+1); ret != vipl.InvalidParameter {
				t.Errorf("%s, an unknown handle: %v", what, ret)
			}
			if ret := vipl.PostSend(b.vi, good, b.mem.handle); ret != vipl.InvalidParameter {
				t.Errorf("%s, another handle: %v", what, ret)
			}
		}
		post()
	})
}

// TestWritesWait: many writes of which no descriptor has been taken. Each keeps its place, and has no status until it
// is taken, although it had one before.
func TestWritesWait(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		var ds []*vipl.Descriptor
		for i := range 50 {
			from := b.room(8)
			from[0] = byte(i)
			ds = append(ds, b.desc(vipl.ControlOpRdmawrite, far(a.mem, a.mem.b[64*i:]), seg(b.mem, from)))
		}
		for round := range 3 {
			for i, d := range ds {
				b.postSend(d)
				if d.CS.Status != 0 {
					t.Fatalf("round %d, write %d: status %#x behind the post", round, i, d.CS.Status)
				}
			}
			for _, d := range ds {
				b.sent(d, vipl.StatusOpRDMAWrite)
			}
		}
	})
}

// TestWritesOfOtherForms: writes of no bytes, and of several segments, behind one of one segment.
func TestWritesOfOtherForms(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		m, target := b.room(16), a.room(16)
		copy(m, "abcdefghijklmnop")
		for _, segs := range [][]vipl.DescriptorSegment{
			{seg(b.mem, m[:8])}, {seg(b.mem, m[8:16]), seg(b.mem, m[:8])}, {seg(b.mem, m[:0])}, {},
		} {
			clear(target)
			b.sent(b.postSend(b.desc(vipl.ControlOpRdmawrite, append([]vipl.DescriptorSegment{far(a.mem, target)}, segs...)...)), vipl.StatusOpRDMAWrite)
			b.sent(b.postSend(b.desc(vipl.ControlOpRdmaread, far(a.mem, target), seg(b.mem, b.room(1)))), vipl.StatusOpRDMARead) // it has arrived
			want := make([]byte, 0, 16)
			for _, s := range segs {
				off := s.Local.Data - vipl.AddressOf(m)
				want = append(want, m[off:off+uint64(s.Local.Length)]...)
			}
			if want = append(want, make([]byte, 16-len(want))...); !bytes.Equal(target, want) {
				t.Errorf("%d segments: %q, want %q", len(segs), target, want)
			}
		}
	})
}

// TestAVIOfAnotherTag: when a VI has got another tag, it may not use the memory of the former one, which it has used before.
func TestAVIOfAnotherTag(t *testing.T) {
	a, b := pair(t, "soft-loop")
	w := b.desc(vipl.ControlOpRdmawrite, far(a.mem, a.mem.b), seg(b.mem, b.room(8)))
	r, _ := b.recv(8)
	b.sent(b.postSend(w), vipl.StatusOpRDMAWrite)
	ok(t, vipl.Disconnect(b.vi))
	b.received(r, vipl.StatusOpReceive|vipl.StatusDescFlushedError)
	a.hears(vipl.ErrorConnLost)
	ok(t, vipl.Disconnect(a.vi))
	attrs := b.attrs
	attrs.Ptag = 0
	ok(t, vipl.SetViAttributes(b.vi, &attrs))
	want(t, vipl.PostRecv(b.vi, r, b.mem.handle), vipl.InvalidParameter)
	own := memory{b: vipl.Memalign(64, 128)}
	ok(t, vipl.RegisterMem(b.nic, own.b, 128, nil, &own.handle))
	connect(a, b)
	want(t, vipl.PostSend(b.vi, w, b.mem.handle), vipl.InvalidParameter)
	in := vipl.DescriptorAt(own.b)
	*in = *w
	ok(t, vipl.PostSend(b.vi, in, own.handle)) // with data of the former tag
	b.sent(in, vipl.StatusOpRDMAWrite|vipl.StatusProtectionError)
}
