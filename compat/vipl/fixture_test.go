package vipl_test

import (
	"encoding/binary"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

// adapters are those that the tests run on. RDMA_DEVICES names others, to run them on
// hardware.
var adapters = func() []string {
	if names := strings.Fields(os.Getenv("RDMA_DEVICES")); len(names) > 0 {
		return names
	}
	return []string{"soft-loop", "soft-shm", "soft-tcp"}
}()

// device tells whether an adapter is an RDMA device, by its name.
func device(name string) bool { return !strings.HasPrefix(name, "soft") }

// iwarp tells whether an adapter speaks iWARP. There the peer may have closed the connection
// before a write that it refuses has been sent completely, and so the write may succeed.
func iwarp(name string) bool { return name == "soft-tcp" || strings.HasPrefix(name, "siw") }

// offers tells whether a NIC has a reliability level. siw cannot confirm reception.
func offers(t testing.TB, name string, level vipl.ReliabilityLevel) bool {
	t.Helper()
	var q vipl.NICAttributes
	ok(t, vipl.QueryNic(openNIC(t, name), &q))
	if q.ReliabilityLevelSupport&level == 0 && !strings.HasPrefix(name, "siw") {
		t.Fatalf("%s has the reliability levels %#x", name, q.ReliabilityLevelSupport)
	}
	return q.ReliabilityLevelSupport&level != 0
}

// everywhere runs a test on every adapter.
func everywhere(t *testing.T, f func(t *testing.T, name string)) {
	for _, name := range adapters {
		t.Run(name, func(t *testing.T) { f(t, name) })
	}
}

// second is a time limit that no test should need, in milliseconds.
const second = 10000

func ok(t testing.TB, ret vipl.Return) {
	t.Helper()
	if ret != vipl.Success {
		t.Fatalf("got %v", ret)
	}
}

func want(t testing.TB, ret, wanted vipl.Return) {
	t.Helper()
	if ret != wanted {
		t.Fatalf("got %v, want %v", ret, wanted)
	}
}

// problem is what an error handler has heard.
type problem struct {
	code vipl.ErrorCode
	desc vipl.ErrorDescriptor
}

// side is an open NIC with a VI and memory.
type side struct {
	t      testing.TB
	name   string
	nic    vipl.NICHandle
	host   []byte
	ptag   vipl.ProtectionHandle
	vi     vipl.VIHandle
	attrs  vipl.VIAttributes
	errors chan problem
	mem    memory // for descriptors and buffers
	used   int
}

// memory is registered memory.
type memory struct {
	b      []byte
	handle vipl.MemHandle
}

func openNIC(t testing.TB, name string) (nic vipl.NICHandle) {
	t.Helper()
	ok(t, vipl.OpenNic(name, &nic))
	t.Cleanup(func() { vipl.CloseNic(nic) })
	return nic
}

// usual is attributes that every test can use.
func usual(change ...func(*vipl.VIAttributes)) vipl.VIAttributes {
	a := vipl.VIAttributes{ReliabilityLevel: vipl.ServiceReliableDelivery, MaxTransferSize: 32768, EnableRdmaWrite: true, EnableRdmaRead: true}
	for _, c := range change {
		c(&a)
	}
	return a
}

func newNIC(t testing.TB, name string) *side {
	t.Helper()
	s := &side{t: t, name: name, errors: make(chan problem, 64)}
	s.nic = openNIC(t, name)
	ok(t, vipl.ErrorCallback(s.nic, s, func(context any, d *vipl.ErrorDescriptor) {
		context.(*side).errors <- problem{d.ErrorCode, *d}
	}))
	var q vipl.NICAttributes
	ok(t, vipl.QueryNic(s.nic, &q))
	s.host = q.LocalNicAddress
	ok(t, vipl.CreatePtag(s.nic, &s.ptag))
	s.mem = s.register(make([]byte, 1<<16+64), true, true)
	return s
}

// register registers memory, aligned for descriptors.
func (s *side) register(b []byte, write, read bool) (m memory) {
	s.t.Helper()
	m.b = b[-vipl.AddressOf(b)&63:]
	ok(s.t, vipl.RegisterMem(s.nic, m.b, uint64(len(m.b)), &vipl.MemAttributes{Ptag: s.ptag, EnableRdmaWrite: write, EnableRdmaRead: read}, &m.handle))
	return m
}

func newSide(t testing.TB, name string, change ...func(*vipl.VIAttributes)) *side {
	t.Helper()
	s := newNIC(t, name)
	s.attrs = usual(change...)
	s.attrs.Ptag = s.ptag
	ok(t, vipl.CreateVi(s.nic, &s.attrs, 0, 0, &s.vi))
	return s
}

var discriminators atomic.Uint64

// address is one that no other test uses.
func (s *side) address() *vipl.NetAddress {
	d := binary.BigEndian.AppendUint64([]byte("test"), uint64(os.Getpid())<<20+discriminators.Add(1))
	return vipl.MakeNetAddress(s.host, d)
}

// connect connects two VIs.
func connect(passive, active *side) {
	t := passive.t
	t.Helper()
	at := passive.address()
	waits := make(chan vipl.Return, 1)
	go func() {
		var conn vipl.ConnHandle
		ret := vipl.ConnectWait(passive.nic, at, second, nil, nil, &conn)
		if ret == vipl.Success {
			ret = vipl.ConnectAccept(conn, passive.vi)
		}
		waits <- ret
	}()
	ret := retry(passive, func() vipl.Return { return vipl.ConnectRequest(active.vi, active.address(), at, second, nil) })
	ok(t, <-waits)
	ok(t, ret)
}

// retry repeats a connect until somebody waits at the side. It begins when that side listens: the device siw may lose a connect
// that comes while a listener is being opened, and then one connect after the other.
func retry(at *side, connect func() vipl.Return) vipl.Return {
	for vipl.Waits(at.nic) == 0 && at.t.Context().Err() == nil {
		runtime.Gosched()
	}
	for {
		if ret := connect(); ret != vipl.NoMatch {
			return ret
		}
	}
}

func pair(t testing.TB, name string, change ...func(*vipl.VIAttributes)) (passive, active *side) {
	t.Helper()
	passive, active = newSide(t, name, change...), newSide(t, name, change...)
	connect(passive, active)
	return passive, active
}

// room is n bytes of the memory of the side that nothing else uses, aligned for descriptors.
func (s *side) room(n int) []byte {
	b := s.mem.b[s.used : s.used+n : s.used+n]
	s.used += (n + 63) &^ 63
	return b
}

// seg is a data segment.
func seg(m memory, b []byte) vipl.DescriptorSegment {
	return vipl.DescriptorSegment{Local: vipl.DataSegment{Data: vipl.AddressOf(b), Handle: m.handle, Length: uint32(len(b))}}
}

// far is an address segment.
func far(m memory, b []byte) (s vipl.DescriptorSegment) {
	*s.Remote() = vipl.AddressSegment{Data: vipl.AddressOf(b), Handle: m.handle}
	return s
}

// desc makes a descriptor with these segments. Its length is theirs.
func (s *side) desc(control uint16, segs ...vipl.DescriptorSegment) *vipl.Descriptor {
	b := s.room(max(64, 32+16*len(segs)))
	clear(b)
	d := vipl.DescriptorAt(b)
	d.CS.SegCount, d.CS.Control = uint16(len(segs)), control
	copy(vipl.SegmentsOf(b), segs)
	for i, g := range segs {
		if i > 0 || control&vipl.ControlOpMask == vipl.ControlOpSendrecv {
			d.CS.Length += g.Local.Length
		}
	}
	return d
}

func (s *side) postSend(d *vipl.Descriptor) *vipl.Descriptor {
	s.t.Helper()
	ok(s.t, vipl.PostSend(s.vi, d, s.mem.handle))
	return d
}

func (s *side) postRecv(d *vipl.Descriptor) *vipl.Descriptor {
	s.t.Helper()
	ok(s.t, vipl.PostRecv(s.vi, d, s.mem.handle))
	return d
}

// recv posts a receive of n bytes and returns them.
func (s *side) recv(n int) (*vipl.Descriptor, []byte) {
	s.t.Helper()
	b := s.room(n)
	return s.postRecv(s.desc(0, seg(s.mem, b))), b
}

// sent waits for a descriptor of the send queue, which has these bits of status.
func (s *side) sent(d *vipl.Descriptor, status uint32) {
	s.t.Helper()
	var got *vipl.Descriptor
	s.completed(vipl.SendWait(s.vi, second, &got), got, d, status)
}

// received is sent for the receive queue.
func (s *side) received(d *vipl.Descriptor, status uint32) {
	s.t.Helper()
	var got *vipl.Descriptor
	s.completed(vipl.RecvWait(s.vi, second, &got), got, d, status)
}

func (s *side) completed(ret vipl.Return, got, d *vipl.Descriptor, status uint32) {
	s.t.Helper()
	wanted := vipl.Success
	if status&vipl.StatusErrorMask != 0 {
		wanted = vipl.DescriptorError
	}
	if got == nil {
		s.t.Fatalf("got %v without a descriptor", ret)
	}
	if ret != wanted || got != d || got.CS.Status != status|vipl.StatusDone {
		s.t.Fatalf("got %v, descriptor %p of %p, status %#x, want %v, %#x", ret, got, d, got.CS.Status, wanted, status|vipl.StatusDone)
	}
}

func (s *side) state() (st vipl.VIState) {
	s.t.Helper()
	ok(s.t, vipl.QueryVi(s.vi, &st, nil, nil, nil))
	return st
}

// hears waits for an asynchronous error. A device does not tell why a connection has ended.
func (s *side) hears(code vipl.ErrorCode) {
	s.t.Helper()
	if device(s.name) {
		code = vipl.ErrorConnLost
	}
	if p := <-s.errors; p.code != code {
		s.t.Fatalf("the handler got %v, want %v", p.code, code)
	}
}
