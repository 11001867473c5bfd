package vipl_test

import (
	"bytes"
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

func TestTransfers(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		for _, level := range []vipl.ReliabilityLevel{vipl.ServiceReliableDelivery, vipl.ServiceReliableReception} {
			if !offers(t, name, level) {
				continue
			}
			a, b := pair(t, name, func(v *vipl.VIAttributes) { v.ReliabilityLevel = level })

			// A message, gathered and scattered.
			one, two := b.room(5), b.room(7)
			copy(one, "hello")
			copy(two, ", world")
			in, out := a.room(8), a.room(100)
			r := a.postRecv(a.desc(0, seg(a.mem, in), seg(a.mem, out)))
			b.sent(b.postSend(b.desc(0, seg(b.mem, one), seg(b.mem, two))), vipl.StatusOpSend)
			a.received(r, vipl.StatusOpReceive)
			if got := string(in) + string(out[:4]); got != "hello, world" || r.CS.Length != 12 {
				t.Fatalf("%q, %d bytes", got, r.CS.Length)
			}

			// A write with immediate data, which iWARP devices have not.
			to := a.room(16)
			w := b.desc(vipl.ControlOpRdmawrite|vipl.ControlImmediate, far(a.mem, to), seg(b.mem, two))
			w.CS.ImmediateData = 4711
			if device(name) && iwarp(name) {
				want(t, vipl.PostSend(b.vi, w, b.mem.handle), vipl.ErrorNotSupported)
				w.CS.Control &^= vipl.ControlImmediate
				b.sent(b.postSend(w), vipl.StatusOpRDMAWrite)
			} else {
				r = a.postRecv(a.desc(0))
				b.sent(b.postSend(w), vipl.StatusOpRDMAWrite)
				a.received(r, vipl.StatusOpRemoteRDMAWrite|vipl.StatusImmediate)
				if r.CS.ImmediateData != 4711 || r.CS.Length != 7 || !bytes.HasPrefix(to, two) {
					t.Fatalf("%+v, %q", r.CS, to)
				}
			}

			// A read, and a fenced one.
			from := b.room(7)
			b.postSend(b.desc(vipl.ControlOpRdmaread, far(a.mem, to), seg(b.mem, from[:3])))
			d := b.postSend(b.desc(vipl.ControlOpRdmaread|vipl.ControlQfence, far(a.mem, to[3:]), seg(b.mem, from[3:])))
			var first *vipl.Descriptor
			ok(t, vipl.SendWait(b.vi, second, &first))
			b.sent(d, vipl.StatusOpRDMARead)
			if !bytes.Equal(from, two) {
				t.Fatalf("%q", from)
			}

			// Nothing but a message without bytes.
			r = a.postRecv(a.desc(0))
			b.sent(b.postSend(b.desc(0)), 0)
			a.received(r, vipl.StatusOpReceive)

			ok(t, vipl.Disconnect(b.vi))
			a.hears(vipl.ErrorConnLost)
			if a.state() != vipl.StateError || b.state() != vipl.StateIdle {
				t.Fatal(a.state(), b.state())
			}
			ok(t, vipl.Disconnect(a.vi))
			ok(t, vipl.DestroyVi(a.vi))
			ok(t, vipl.DestroyVi(b.vi))
		}
	})
}

// TestImmediateWithAMessage is for connections that have it.
func TestImmediateWithAMessage(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		r := a.postRecv(a.desc(0))
		d := b.desc(vipl.ControlImmediate)
		d.CS.ImmediateData = 1
		if ret := vipl.PostSend(b.vi, d, b.mem.handle); ret == vipl.ErrorNotSupported {
			return
		} else {
			ok(t, ret)
		}
		b.sent(d, 0)
		a.received(r, vipl.StatusOpReceive|vipl.StatusImmediate)
	})
}

// TestReception: at this level a descriptor is complete when the peer has its bytes, and not before.
func TestReception(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		if offers(t, name, vipl.ServiceReliableReception) {
			a, b := pair(t, name, func(v *vipl.VIAttributes) { v.ReliabilityLevel = vipl.ServiceReliableReception })
			reception(t, a, b, 300)
		}
	})
}

// reception looks at the target of n writes, and of n messages, of b when each is complete.
func reception(t *testing.T, a, b *side, n int) {
	t.Helper()
	to, from := a.room(8192), b.room(8192)
	r, m := a.desc(0, seg(a.mem, to)), b.desc(0, seg(b.mem, from))
	w := b.desc(vipl.ControlOpRdmawrite, far(a.mem, to), seg(b.mem, from))
	for i := range 2 * n {
		d, status := w, uint32(vipl.StatusOpRDMAWrite)
		if i%2 == 1 {
			d, status = m, vipl.StatusOpSend
			a.postRecv(r)
		}
		for k := range from {
			from[k] = byte(i + k)
		}
		b.sent(b.postSend(d), status)
		if !bytes.Equal(to, from) {
			t.Fatalf("operation %d is complete, and its bytes are not there", i)
		}
		if d == m {
			a.received(r, vipl.StatusOpReceive)
		}
	}
}
