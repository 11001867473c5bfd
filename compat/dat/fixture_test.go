package dat_test

import (
	"bytes"
	"context"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/compat/dat"
	"github.com/godapl/godapl/rdma"
)

// usual is the adapter of tests that need no particular one. RDMA_DEVICES selects
// another, to run them on hardware.
var usual = func() string {
	if names := strings.Fields(os.Getenv("RDMA_DEVICES")); len(names) > 0 {
		return names[0]
	}
	return "soft-loop"
}()

// onDevice reports whether the usual adapter is a device.
func onDevice() bool { return !strings.HasPrefix(usual, "soft") }

// rounds is how often a test of chances tries: soft times, but device times where a round takes long.
func rounds(soft, device int) int {
	if onDevice() {
		return device
	}
	return soft
}

// limits are the attributes of the usual adapter.
var limits = sync.OnceValue(func() rdma.Attributes {
	a, err := rdma.Open(context.Background(), usual, rdma.OpenConfig{})
	if err != nil {
		panic(err)
	}
	defer a.Close()
	return a.Attributes()
})

// iwarp reports whether the usual adapter is an iWARP device: those have no immediate
// data, and no receive that is waited for.
func iwarp() bool { return onDevice() && !limits().Caps.WriteImmediate }

// softOnly skips a test on devices, which cannot do it.
func softOnly(t testing.TB, why string) {
	t.Helper()
	if onDevice() {
		t.Skip("on " + usual + ": " + why)
	}
}

// needs skips a test for which the usual adapter lacks a capability.
func needs(t testing.TB, what string, has func(rdma.Caps) bool) {
	t.Helper()
	if !has(limits().Caps) {
		t.Skip(usual + " has no " + what)
	}
}

func windows(c rdma.Caps) bool { return c.ZoneWindows && c.EndpointWindows }
func atomics(c rdma.Caps) bool { return c.Atomics }

// notIWARP skips a test over iWARP, which behaves differently.
func notIWARP(t testing.TB, way string) {
	t.Helper()
	if iwarp() {
		t.Skip(usual + " is iWARP: " + way)
	}
}

const (
	unacknowledged = "a refusal ends the connection, and is not the completion of the request"
	unwaited       = "a message without a receive ends the connection"
	pending        = "the device gives up a connect without an answer after ten seconds only"
)

// private compares private data. InfiniBand and RoCE fill it up with zeros.
func private(have []byte, want string) bool {
	if onDevice() && !iwarp() {
		have = bytes.TrimRight(have, "\x00")
	}
	return string(have) == want
}

// broken waits for the end of a connection after a refusal: on a device that may look
// as if the peer had left.
func broken(t testing.TB, h dat.EVDHandle) {
	t.Helper()
	ev := next(t, h)
	if ev.EventNumber != dat.ConnectionEventBroken && !(onDevice() && ev.EventNumber == dat.ConnectionEventDisconnected) {
		t.Fatalf("event %#x, want BROKEN", ev.EventNumber)
	}
}

// cutOff waits for a receive that was too small. Devices may call that an error of the
// endpoint.
func cutOff(t testing.TB, h dat.EVDHandle) {
	t.Helper()
	if onDevice() {
		if s := next(t, h).EventData.DTOCompletionEventData.Status; s != dat.DTOErrLocalLength && s != dat.DTOErrLocalEP {
			t.Fatalf("status %d", s)
		}
		return
	}
	completion(t, h, dat.DTOErrLocalLength)
}

// room posts a request whose predecessors may be under way: it retries while there is
// no room.
func room(post func() dat.Return) dat.Return {
	for {
		if ret := post(); ret.Type() != dat.InsufficientResources {
			return ret
		}
		runtime.Gosched()
	}
}

// queued waits until n events are queued, and takes none.
func queued(t testing.TB, h dat.EVDHandle, n dat.Count) {
	t.Helper()
	var ev dat.Event
	for more := dat.Count(-1); more != n; {
		want(t, dat.EVDWait(h, 1000, n+1, &ev, &more), dat.TimeoutExpired)
	}
}

// second is a timeout that no test should need.
const second = dat.Timeout(10e6)

func ok(t testing.TB, ret dat.Return) {
	t.Helper()
	if ret != dat.Success {
		t.Fatalf("got %v", ret)
	}
}

// want checks type and class, and the subtype if one is given.
func want(t testing.TB, ret, typ dat.Return, sub ...dat.Return) {
	t.Helper()
	if ret.Type() != typ || (typ != dat.Success) != (ret.Class() == dat.ClassError) {
		t.Fatalf("got %v, want type %v", ret, dat.ClassError|typ)
	}
	if len(sub) > 0 && ret.Subtype() != sub[0] {
		t.Fatalf("got %v, want %v", ret, dat.ClassError|typ|sub[0])
	}
}

// open opens an adapter and closes it at the end of the test.
func open(t testing.TB, name string) (ia dat.IAHandle, async dat.EVDHandle) {
	t.Helper()
	ok(t, dat.IAOpen(name, 8, &async, &ia))
	t.Cleanup(func() { dat.IAClose(ia, dat.CloseAbruptFlag) })
	return ia, async
}

func evd(t testing.TB, ia dat.IAHandle, qlen dat.Count, flags dat.EVDFlags) (h dat.EVDHandle) {
	t.Helper()
	ok(t, dat.EVDCreate(ia, qlen, dat.HandleNull, flags, &h))
	return h
}

// memory is registered memory.
type memory struct {
	b   []byte
	lmr dat.LMRHandle
	ctx dat.LMRContext
	rmr dat.RMRContext
}

func register(t testing.TB, ia dat.IAHandle, pz dat.PZHandle, n int, priv dat.MemPrivFlags) (m memory) {
	t.Helper()
	m.b = make([]byte, n)
	ok(t, dat.LMRCreate(ia, dat.MemTypeVirtual, dat.RegionDescription{ForVA: m.b}, dat.Vlen(n), pz, priv, &m.lmr, &m.ctx, &m.rmr, nil, nil))
	return m
}

func (m *memory) iov(off, n int) []dat.LMRTriplet {
	return []dat.LMRTriplet{{LMRContext: m.ctx, VirtualAddress: dat.VaddrOf(m.b) + dat.Vaddr(off), SegmentLength: dat.Vlen(n)}}
}

func (m *memory) remote(off, n int) *dat.RMRTriplet {
	return &dat.RMRTriplet{RMRContext: m.rmr, TargetAddress: dat.VaddrOf(m.b) + dat.Vaddr(off), SegmentLength: dat.Vlen(n)}
}

const allPriv = dat.MemPrivAllFlag | dat.IBMemPrivRemoteAtomic

// side is an adapter with the objects that an endpoint needs.
type side struct {
	t                   testing.TB
	ia                  dat.IAHandle
	async               dat.EVDHandle
	pz                  dat.PZHandle
	recv, req, conn, cr dat.EVDHandle
	ep                  dat.EPHandle
	mem                 memory
}

func newSide(t testing.TB, name string, attr *dat.EPAttr) *side {
	t.Helper()
	s := &side{t: t}
	s.ia, s.async = open(t, name)
	ok(t, dat.PZCreate(s.ia, &s.pz))
	s.recv, s.req = evd(t, s.ia, 64, dat.EVDDTOFlag), evd(t, s.ia, 64, dat.EVDDTOFlag|dat.EVDRMRBindFlag)
	s.conn, s.cr = evd(t, s.ia, 16, dat.EVDConnectionFlag), evd(t, s.ia, 16, dat.EVDCRFlag)
	ok(t, dat.EPCreate(s.ia, s.pz, s.recv, s.req, s.conn, attr, &s.ep))
	s.mem = register(t, s.ia, s.pz, 8192, allPriv)
	return s
}

// attr is the attributes of a fresh endpoint.
func (s *side) attr() dat.EPAttr {
	s.t.Helper()
	var p dat.EPParam
	ok(s.t, dat.EPQuery(s.ep, dat.EPFieldAll, &p))
	return p.EPAttr
}

func (s *side) state() dat.EPState {
	s.t.Helper()
	var st dat.EPState
	ok(s.t, dat.EPGetStatus(s.ep, &st, nil, nil))
	return st
}

// next waits for an event.
func next(t testing.TB, h dat.EVDHandle) (ev dat.Event) {
	t.Helper()
	var more dat.Count
	ok(t, dat.EVDWait(h, second, 1, &ev, &more))
	return ev
}

// expect waits for an event with that number.
func expect(t testing.TB, h dat.EVDHandle, n dat.EventNumber) dat.Event {
	t.Helper()
	ev := next(t, h)
	if ev.EventNumber != n {
		t.Fatalf("event %#x, want %#x: %+v", ev.EventNumber, n, ev.EventData)
	}
	if ev.EVDHandle != h {
		t.Fatalf("event of %#x was taken from %#x", ev.EVDHandle, h)
	}
	return ev
}

// completion waits for a completion with that status.
func completion(t testing.TB, h dat.EVDHandle, status dat.DTOCompletionStatus) dat.DTOCompletionEventData {
	t.Helper()
	ev := next(t, h)
	d := ev.EventData.DTOCompletionEventData
	if (ev.EventNumber != dat.DTOCompletionEvent && ev.EventNumber != dat.IBDTOEvent) || d.Status != status {
		t.Fatalf("event %#x, status %d, want status %d: %+v", ev.EventNumber, d.Status, status, d)
	}
	return d
}

// empty checks that there is no event.
func empty(t testing.TB, h dat.EVDHandle) {
	t.Helper()
	var ev dat.Event
	if ret := dat.EVDDequeue(h, &ev); ret.Type() != dat.QueueEmpty {
		t.Fatalf("%v, event %#x: %+v", ret, ev.EventNumber, ev.EventData)
	}
}

var services atomic.Uint64

// service is a connection qualifier that no other test uses.
func service(name string) dat.ConnQual {
	n := services.Add(1)
	switch {
	case name != "soft-tcp" && name != gated && !onDevice():
		return dat.ConnQual(1<<32 + n)
	case name != "soft-tcp" && name != gated:
		return dat.ConnQual(10000 + n%20000)
	}
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	return dat.ConnQual(l.Addr().(*net.TCPAddr).Port)
}

func parseAddr(ip string) dat.IAAddressPtr { return &net.IPAddr{IP: net.ParseIP(ip)} }

// host is the address of an adapter; "" is the usual one.
func host(name string) dat.IAAddressPtr {
	if name == "" {
		name = usual
	}
	if onDevice() && !strings.HasPrefix(name, "soft") && name != gated {
		return parseAddr(limits().Address)
	}
	return &net.IPAddr{IP: net.IPv4(127, 0, 0, 1)}
}

// request has active ask to be connected to passive, and gives the request.
func request(passive, active *side, name string, private []byte) (psp dat.PSPHandle, cr dat.CRHandle) {
	t := passive.t
	t.Helper()
	qual := service(name)
	ok(t, dat.PSPCreate(passive.ia, qual, passive.cr, dat.PSPConsumerFlag, &psp))
	ok(t, dat.EPConnect(active.ep, host(name), qual, second, dat.Count(len(private)), private, dat.QOSBestEffort, dat.ConnectDefaultFlag))
	ev := expect(t, passive.cr, dat.ConnectionRequestEvent)
	return psp, ev.EventData.CRArrivalEventData.CRHandle
}

// connect connects two sides.
func connect(passive, active *side, name string) {
	t := passive.t
	t.Helper()
	psp, cr := request(passive, active, name, nil)
	ok(t, dat.CRAccept(cr, passive.ep, 0, nil))
	expect(t, passive.conn, dat.ConnectionEventEstablished)
	expect(t, active.conn, dat.ConnectionEventEstablished)
	ok(t, dat.PSPFree(psp))
}

// pair gives two connected sides.
func pair(t testing.TB, name string) (passive, active *side) {
	t.Helper()
	passive, active = newSide(t, name, nil), newSide(t, name, nil)
	connect(passive, active, name)
	return passive, active
}

// paths runs a test over both.
func paths(t *testing.T, f func(t *testing.T, name string)) {
	for _, name := range []string{usual, "soft-tcp"} {
		t.Run(name, func(t *testing.T) { f(t, name) })
	}
}

func num(n uint64) dat.Context { return dat.Context{As64: n} }
