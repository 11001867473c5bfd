package vipl_test

import (
	"math/rand/v2"
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

// FuzzCalls makes random calls with handles and pointers of every kind: good ones, those of
// objects that are gone or of another kind, and junk. None may panic.
func FuzzCalls(f *testing.F) {
	for seed := range uint64(6) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 1))
		name := adapters[rng.IntN(len(adapters))]
		a, b := newNIC(t, name), newNIC(t, name)
		w := &world{rng: rng, a: a, numbers: []uint64{0, 1, 0xFFFFFFFF, ^uint64(0), uint64(a.nic), uint64(b.nic), uint64(a.ptag), uint64(b.ptag)},
			keys: []vipl.MemHandle{0, a.mem.handle, b.mem.handle, a.mem.handle + 1}}
		for range 400 {
			w.step()
		}
	})
}

// world is what the random calls use.
type world struct {
	rng     *rand.Rand
	a       *side
	numbers []uint64
	keys    []vipl.MemHandle
}

func (w *world) number() uint64 {
	if w.rng.IntN(20) == 0 {
		return w.rng.Uint64()
	}
	return w.numbers[w.rng.IntN(len(w.numbers))]
}

func (w *world) key() vipl.MemHandle { return w.keys[w.rng.IntN(len(w.keys))] }

func (w *world) maybe() bool { return w.rng.IntN(4) != 0 }

func pick[T any](w *world, v *T) *T {
	if w.rng.IntN(10) == 0 {
		return nil
	}
	return v
}

func (w *world) bytes() []byte {
	if !w.maybe() {
		return nil
	}
	return w.a.mem.b[w.rng.IntN(4)*32:]
}

func (w *world) desc() *vipl.Descriptor {
	if !w.maybe() {
		return nil
	}
	b := w.a.mem.b[4096+64*w.rng.IntN(64):]
	d := vipl.DescriptorAt(b)
	d.CS.SegCount, d.CS.Control, d.CS.Length = uint16(w.rng.IntN(4)), uint16(w.rng.IntN(20)), uint32(w.rng.IntN(20))
	for i := range d.DS {
		d.DS[i].Local = vipl.DataSegment{Data: vipl.AddressOf(w.a.mem.b) + uint64(w.rng.IntN(1<<16)), Handle: w.key(), Length: uint32(w.rng.IntN(10))}
	}
	return d
}

func (w *world) address() *vipl.NetAddress {
	a := vipl.MakeNetAddress([]byte{127, 0, 0, 1}, []byte{byte(w.rng.IntN(3)), 'j'})
	if w.rng.IntN(5) == 0 {
		a.HostAddressLen = uint16(w.rng.IntN(30))
		a.DiscriminatorLen = uint16(w.rng.IntN(30))
	}
	return pick(w, a)
}

func (w *world) viAttrs() *vipl.VIAttributes {
	v := usual()
	v.Ptag = vipl.ProtectionHandle(w.number())
	if w.maybe() {
		v.Ptag = w.a.ptag
	}
	return pick(w, &v)
}

func (w *world) keep(n uint64) { w.numbers = append(w.numbers, n) }

func (w *world) step() {
	nic, vi, cq, conn := vipl.NICHandle(w.number()), vipl.VIHandle(w.number()), vipl.CQHandle(w.number()), vipl.ConnHandle(w.number())
	tag := vipl.ProtectionHandle(w.number())
	if w.maybe() {
		nic = w.a.nic
	}
	var d *vipl.Descriptor
	var recv bool
	switch w.rng.IntN(37) {
	case 0:
		var h vipl.VIHandle
		vipl.CreateVi(nic, w.viAttrs(), vipl.CQHandle(w.number()*uint64(w.rng.IntN(2))), vipl.CQHandle(w.number()*uint64(w.rng.IntN(2))), pick(w, &h))
		w.keep(uint64(h))
	case 1:
		vipl.DestroyVi(vi)
	case 2:
		var h vipl.CQHandle
		vipl.CreateCQ(nic, uint32(w.rng.IntN(100)), pick(w, &h))
		w.keep(uint64(h))
	case 3:
		vipl.DestroyCQ(cq)
	case 4:
		vipl.ResizeCQ(cq, uint32(w.rng.IntN(100)))
	case 5:
		var h vipl.ProtectionHandle
		vipl.CreatePtag(nic, pick(w, &h))
		w.keep(uint64(h))
	case 6:
		if tag != w.a.ptag {
			vipl.DestroyPtag(nic, tag)
		}
	case 7, 8:
		var h vipl.MemHandle
		vipl.RegisterMem(nic, w.bytes(), uint64(w.rng.IntN(1<<14)), pick(w, &vipl.MemAttributes{Ptag: w.a.ptag, EnableRdmaWrite: w.maybe()}), pick(w, &h))
		w.keys = append(w.keys, h)
	case 9:
		if k := w.key(); k != w.a.mem.handle {
			vipl.DeregisterMem(nic, w.bytes(), k)
		}
	case 10:
		vipl.QueryMem(nic, w.bytes(), w.key(), pick(w, &vipl.MemAttributes{}))
		vipl.SetMemAttributes(nic, w.bytes(), w.key(), pick(w, &vipl.MemAttributes{Ptag: tag, EnableRdmaRead: w.maybe()}))
	case 11, 12, 13:
		vipl.PostSend(vi, w.desc(), w.key())
	case 14, 15, 16:
		vipl.PostRecv(vi, w.desc(), w.key())
	case 17:
		vipl.SendDone(vi, pick(w, &d))
	case 18:
		vipl.RecvDone(vi, pick(w, &d))
	case 19:
		vipl.SendWait(vi, 0, pick(w, &d))
	case 20:
		vipl.RecvWait(vi, 1, pick(w, &d))
	case 21:
		vipl.CQDone(cq, pick(w, &vi), pick(w, &recv))
	case 22:
		vipl.CQWait(cq, 0, pick(w, &vi), pick(w, &recv))
	case 23:
		vipl.Disconnect(vi)
	case 24:
		var h vipl.ConnHandle
		vipl.ConnectWait(nic, w.address(), uint32(w.rng.IntN(2)), nil, nil, pick(w, &h))
		w.keep(uint64(h))
	case 25:
		vipl.ConnectAccept(conn, vi)
	case 26:
		vipl.ConnectReject(conn)
	case 27:
		vipl.ConnectRequest(vi, w.address(), w.address(), 1, nil)
	case 28:
		vipl.ConnectPeerRequest(vi, w.address(), w.address(), 5)
	case 29:
		vipl.ConnectPeerDone(vi, nil)
	case 30:
		vipl.SetViAttributes(vi, w.viAttrs())
	case 31:
		vipl.QueryVi(vi, nil, nil, nil, pick(w, &recv))
	case 32:
		vipl.QueryNic(nic, pick(w, &vipl.NICAttributes{}))
		vipl.NSGetHostByName(nic, "x", pick(w, &vipl.NetAddress{HostAddressLen: 9}), 0)
		vipl.QuerySystemManagementInfo(nic, uint32(w.rng.IntN(3)), pick(w, &vipl.AutodiscoveryList{}))
	case 33:
		vipl.SendNotify(vi, nil, nil)
		vipl.RecvNotify(vi, nil, func(any, vipl.NICHandle, vipl.VIHandle, *vipl.Descriptor) {})
		vipl.CQNotify(cq, nil, func(any, vipl.NICHandle, vipl.VIHandle, bool) {})
	case 34:
		var h vipl.NICHandle
		vipl.OpenNic([]string{"", "nothing", w.a.name}[w.rng.IntN(3)], pick(w, &h))
		w.keep(uint64(h))
		vipl.CloseNic(h)
		if nic != w.a.nic {
			vipl.CloseNic(nic)
		}
		vipl.ErrorCallback(nic, nil, func(any, *vipl.ErrorDescriptor) {})
	case 35:
		vipl.NSInit(nic, []any{nil, "", 1, "/nothing"}[w.rng.IntN(4)])
		vipl.NSGetHostByAddr(nic, pick(w, vipl.MakeNetAddress([]byte{127, 0, 0, 1}, nil)), nil)
		vipl.NSShutdown(nic)
	case 36:
		vipl.ConnectPeerWait(vi, nil) // its request ends after 5 ms
	}
}
