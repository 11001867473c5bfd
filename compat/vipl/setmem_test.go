package vipl_test

import (
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

// TestSetMemAttributes: what peers may do changes under the handle.
func TestSetMemAttributes(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		m := a.register(make([]byte, 256), false, false)
		attrs := vipl.MemAttributes{Ptag: a.ptag, EnableRdmaWrite: true, EnableRdmaRead: true}
		if ret := vipl.SetMemAttributes(a.nic, m.b, m.handle, &attrs); ret == vipl.ErrorNotSupported && device(name) {
			return
		} else {
			ok(t, ret)
		}
		var q vipl.MemAttributes
		if ok(t, vipl.QueryMem(a.nic, m.b, m.handle, &q)); q != attrs {
			t.Fatalf("%+v", q)
		}
		src := b.room(4)
		copy(src, "kept")
		b.sent(b.postSend(b.desc(vipl.ControlOpRdmawrite, far(m, m.b), seg(b.mem, src))), vipl.StatusOpRDMAWrite)
		b.sent(b.postSend(b.desc(vipl.ControlOpRdmaread|vipl.ControlQfence, far(m, m.b), seg(b.mem, b.room(4)))), vipl.StatusOpRDMARead)
		if string(m.b[:4]) != "kept" {
			t.Fatalf("%q", m.b[:4])
		}
		attrs.EnableRdmaWrite = false
		ok(t, vipl.SetMemAttributes(a.nic, m.b, m.handle, &attrs))
		copy(src, "lost")
		b.postSend(b.desc(vipl.ControlOpRdmawrite, far(m, m.b), seg(b.mem, src)))
		a.hears(vipl.ErrorRdmawProt)
		if string(m.b[:4]) != "kept" {
			t.Fatalf("%q", m.b[:4])
		}
		other := attrs
		other.Ptag = b.ptag
		want(t, vipl.SetMemAttributes(a.nic, m.b, m.handle, &other), vipl.InvalidPtag)
		want(t, vipl.SetMemAttributes(a.nic, m.b, m.handle, nil), vipl.InvalidParameter)
		want(t, vipl.SetMemAttributes(a.nic, m.b[1:], m.handle, &attrs), vipl.InvalidParameter)
	})
}

// TestAnotherTag: memory whose tag has changed belongs to the VIs of the new one, locally and
// for peers, under its handle.
func TestAnotherTag(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		m := memory{b: make([]byte, 256)}
		attrs := vipl.MemAttributes{EnableRdmaWrite: true, EnableRdmaRead: true}
		var former vipl.ProtectionHandle
		ok(t, vipl.CreatePtag(a.nic, &former))
		attrs.Ptag = former
		ok(t, vipl.RegisterMem(a.nic, m.b, 256, &attrs, &m.handle))
		attrs.Ptag = a.ptag
		ret := vipl.SetMemAttributes(a.nic, m.b, m.handle, &attrs)
		if device(name) {
			want(t, ret, vipl.ErrorNotSupported)
			return
		}
		ok(t, ret)
		var q vipl.MemAttributes
		if ok(t, vipl.QueryMem(a.nic, m.b, m.handle, &q)); q != attrs {
			t.Fatalf("%+v", q)
		}
		ok(t, vipl.DestroyPtag(a.nic, former)) // nothing has it
		src := b.room(4)
		copy(src, "kept")
		b.sent(b.postSend(b.desc(vipl.ControlOpRdmawrite, far(m, m.b), seg(b.mem, src))), vipl.StatusOpRDMAWrite)
		r := a.postRecv(a.desc(0, seg(m, m.b[8:16])))
		b.sent(b.postSend(b.desc(0, seg(b.mem, src))), 0)
		a.received(r, vipl.StatusOpReceive)
		if string(m.b[:4])+string(m.b[8:12]) != "keptkept" {
			t.Fatalf("%q", m.b[:16])
		}

		// The other way: this VI has lost it.
		attrs.Ptag = 0
		ok(t, vipl.SetMemAttributes(a.nic, m.b, m.handle, &attrs))
		copy(src, "lost")
		b.postSend(b.desc(vipl.ControlOpRdmawrite, far(m, m.b), seg(b.mem, src)))
		a.hears(vipl.ErrorRdmawProt)
		if string(m.b[:4]) != "kept" {
			t.Fatalf("%q", m.b[:4])
		}
		ok(t, vipl.Disconnect(a.vi))
		a.received(a.postRecv(a.desc(0, seg(m, m.b[8:16]))), vipl.StatusOpReceive|vipl.StatusProtectionError)
		want(t, vipl.PostRecv(a.vi, vipl.DescriptorAt(vipl.Memalign(64, 64)), m.handle), vipl.InvalidParameter)
		ok(t, vipl.DeregisterMem(a.nic, m.b, m.handle))
	})
}
