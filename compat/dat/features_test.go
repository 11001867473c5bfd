package dat_test

import (
	"encoding/binary"
	"net"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/compat/dat"
)

func TestConsumerContext(t *testing.T) {
	w := newWorld(t)
	for _, h := range []dat.Handle{dat.Handle(w.u.ia), dat.Handle(w.u.ep), dat.Handle(w.soft), dat.Handle(w.cr), dat.Handle(w.rsp),
		dat.Handle(w.psp), dat.Handle(w.u.pz), dat.Handle(w.bare.lmr), dat.Handle(w.rmr), dat.Handle(w.cno), dat.Handle(w.srq)} {
		var c dat.Context
		if ok(t, dat.GetConsumerContext(h, &c)); c != (dat.Context{}) {
			t.Fatalf("%#x begins with %v", h, c)
		}
		ok(t, dat.SetConsumerContext(h, dat.Context{AsPtr: w}))
		if ok(t, dat.GetConsumerContext(h, &c)); c.AsPtr != any(w) {
			t.Fatalf("%#x has %v", h, c)
		}
	}
	for h, kind := range map[dat.Handle]dat.HandleType{dat.Handle(w.cr): dat.HandleTypeCR, dat.Handle(w.psp): dat.HandleTypePSP,
		dat.Handle(w.rsp): dat.HandleTypeRSP, dat.Handle(w.rmr): dat.HandleTypeRMR} {
		var k dat.HandleType
		if ok(t, dat.GetHandleType(h, &k)); k != kind {
			t.Errorf("%#x is %d, want %d", h, k, kind)
		}
	}
}

func TestQueriesTellWhatWasMade(t *testing.T) {
	w := newWorld(t)
	var e dat.EVDParam
	ok(t, dat.EVDQuery(w.soft, dat.EVDFieldAll, &e))
	if e.IAHandle != w.u.ia || e.EVDQlen < 2 || e.EVDState != 0x35 || e.CNOHandle != 0 || e.EVDFlags != dat.EVDSoftwareFlag {
		t.Errorf("%+v", e)
	}
	ok(t, dat.EVDDisable(w.soft))
	ok(t, dat.EVDSetUnwaitable(w.soft))
	ok(t, dat.EVDModifyCNO(w.soft, w.cno))
	ok(t, dat.EVDQuery(w.soft, dat.EVDFieldAll, &e))
	if e.EVDState != 0x3A || e.CNOHandle != w.cno {
		t.Errorf("%+v", e)
	}
	var psp dat.PSPParam
	ok(t, dat.PSPQuery(w.psp, dat.PSPFieldAll, &psp))
	if psp != (dat.PSPParam{IAHandle: w.u.ia, ConnQual: w.qual, EVDHandle: w.u.cr, PSPFlags: dat.PSPConsumerFlag}) {
		t.Errorf("%+v", psp)
	}
	var rsp dat.RSPParam
	ok(t, dat.RSPQuery(w.rsp, dat.RSPFieldAll, &rsp))
	if rsp.IAHandle != w.u.ia || rsp.EVDHandle != w.u.cr || rsp.EPHandle == 0 || rsp.ConnQual == 0 {
		t.Errorf("%+v", rsp)
	}
	var l dat.LMRParam
	ok(t, dat.LMRQuery(w.c.mem.lmr, dat.LMRFieldAll, &l))
	if l.IAHandle != w.c.ia || l.PZHandle != w.c.pz || l.Length != 8192 || l.RegisteredSize != 8192 || l.LMRContext != w.c.mem.ctx ||
		l.RMRContext != w.c.mem.rmr || l.MemPriv != allPriv || l.RegisteredAddress != dat.VaddrOf(w.c.mem.b) {
		t.Errorf("%+v", l)
	}
	ok(t, dat.LMRQuery(w.bare.lmr, dat.LMRFieldAll, &l))
	if l.RMRContext != 0 {
		t.Error("a key for peers without a right of theirs")
	}
	var s dat.SRQParam
	ok(t, dat.SRQQuery(w.srq, dat.SRQFieldAll, &s))
	if s.MaxRecvDTOS < 4 || s.MaxRecvIOV < 2 || s.SRQState != dat.SRQStateOperational || s.PZHandle != w.u.pz {
		t.Errorf("%+v", s)
	}
	var p dat.EPParam
	ok(t, dat.EPQuery(w.c.ep, dat.EPFieldAll, &p))
	if p.IAHandle != w.c.ia || p.EPState != dat.EPStateConnected || p.PZHandle != w.c.pz || p.RecvEVDHandle != w.c.recv ||
		p.RequestEVDHandle != w.c.req || p.ConnectEVDHandle != w.c.conn || p.RemoteIAAddressPtr == nil || p.RemotePortQual == 0 ||
		p.EPAttr.RecvCompletionFlags != dat.CompletionEVDThresholdFlag {
		t.Errorf("%+v", p)
	}
	var z dat.PZParam
	if ok(t, dat.PZQuery(w.u.pz, dat.PZFieldAll, &z)); z.IAHandle != w.u.ia {
		t.Errorf("%+v", z)
	}
	var c dat.CNOParam
	if ok(t, dat.CNOQuery(w.cno, dat.CNOFieldAll, &c)); c.IAHandle != w.u.ia || c.ProxyType != dat.ProxyTypeNone {
		t.Errorf("%+v", c)
	}
}

func TestSharingRules(t *testing.T) {
	s := newSide(t, usual, nil)
	at := s.attr()
	at.RecvCompletionFlags, at.RequestCompletionFlags = dat.CompletionUnsignalledFlag, dat.CompletionUnsignalledFlag
	all := evd(t, s.ia, 64, dat.EVDDefaultFlag)
	var ep, ep2 dat.EPHandle
	// All streams in one: only counted completions may share with connection events.
	want(t, dat.EPCreate(s.ia, s.pz, all, all, all, &at, &ep), dat.InvalidParameter, dat.InvalidArg6)
	ok(t, dat.EPCreate(s.ia, s.pz, all, all, all, nil, &ep))
	ok(t, dat.EPFree(ep))
	// One attribute per dispatcher; it ends with the last endpoint.
	ok(t, dat.EPCreate(s.ia, s.pz, all, all, 0, &at, &ep))
	var p dat.EVDParam
	ok(t, dat.EVDQuery(all, dat.EVDFieldAll, &p))
	if p.EVDState&0x30 != dat.EVDStateConfigNotify {
		t.Fatalf("state %#x", p.EVDState)
	}
	want(t, dat.EPCreate(s.ia, s.pz, all, 0, 0, nil, &ep2), dat.InvalidParameter)
	want(t, dat.EPCreate(s.ia, s.pz, 0, 0, all, &at, &ep2), dat.InvalidParameter)
	ok(t, dat.EPFree(ep))
	ok(t, dat.EPCreate(s.ia, s.pz, all, 0, 0, nil, &ep2))
}

// TestOneDispatcherForAll: ESTABLISHED comes before the first completion and
// DISCONNECTED after the last.
func TestOneDispatcherForAll(t *testing.T) {
	paths(t, func(t *testing.T, name string) {
		a, b := newSide(t, name, nil), newSide(t, name, nil)
		all := evd(t, a.ia, 64, dat.EVDDefaultFlag)
		ok(t, dat.EPFree(a.ep))
		ok(t, dat.EPCreate(a.ia, a.pz, all, all, all, nil, &a.ep))
		for i := range 4 {
			ok(t, dat.EPPostRecv(a.ep, 1, a.mem.iov(64*i, 64), num(uint64(i)), 0))
		}
		psp, cr := request(a, b, name, nil)
		ok(t, dat.CRAccept(cr, a.ep, 0, nil))
		expect(t, b.conn, dat.ConnectionEventEstablished)
		for range 2 {
			ok(t, dat.EPPostSend(b.ep, 1, b.mem.iov(0, 8), num(9), 0))
		}
		ok(t, dat.EPDisconnect(b.ep, dat.CloseGracefulFlag))
		ok(t, dat.PSPFree(psp))
		expect(t, all, dat.ConnectionEventEstablished)
		for i, status := range []dat.DTOCompletionStatus{dat.DTOSuccess, dat.DTOSuccess, dat.DTOErrFlushed, dat.DTOErrFlushed} {
			if c := completion(t, all, status); c.UserCookie != num(uint64(i)) {
				t.Fatalf("%+v, want cookie %d", c, i)
			}
		}
		expect(t, all, dat.ConnectionEventDisconnected)
	})
}

func TestResetAndReconnect(t *testing.T) {
	paths(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		for range 3 {
			ok(t, dat.EPDisconnect(b.ep, dat.CloseGracefulFlag))
			expect(t, a.conn, dat.ConnectionEventDisconnected)
			expect(t, b.conn, dat.ConnectionEventDisconnected)
			ok(t, dat.EPReset(a.ep))
			ok(t, dat.EPReset(b.ep))
			connect(b, a, name)
		}
	})
}

func TestSolicitedWait(t *testing.T) {
	softOnly(t, "its time is not the test's")
	at := attrWith(t, dat.CompletionSolicitedWaitFlag, dat.CompletionEVDThresholdFlag)
	synctest.Test(t, func(t *testing.T) {
		a, b := newSide(t, usual, at), newSide(t, usual, nil)
		connect(a, b, usual)
		for range 2 {
			ok(t, dat.EPPostRecv(a.ep, 1, a.mem.iov(0, 64), num(1), 0))
		}
		done := parked(a.recv)
		ok(t, dat.EPPostSend(b.ep, 1, b.mem.iov(0, 8), num(1), 0))
		completion(t, b.req, dat.DTOSuccess)
		synctest.Wait()
		select {
		case ret := <-done:
			t.Fatal("woken by what was not solicited: ", ret)
		default:
		}
		ok(t, dat.EPPostSend(b.ep, 1, b.mem.iov(0, 8), num(1), dat.CompletionSolicitedWaitFlag))
		ok(t, <-done)
		completion(t, a.recv, dat.DTOSuccess)
	})
}

// parked starts a wait inside a bubble and returns when it sleeps.
func parked(h dat.EVDHandle) <-chan dat.Return {
	done := make(chan dat.Return, 1)
	go func() {
		var ev dat.Event
		var more dat.Count
		done <- dat.EVDWait(h, dat.TimeoutInfinite, 1, &ev, &more)
	}()
	synctest.Wait()
	return done
}

func TestSoftWatermark(t *testing.T) {
	s := newSide(t, usual, nil)
	ok(t, dat.EPSetWatermark(s.ep, 1, dat.WatermarkInfinite))
	if soft := s.attr().SRQSoftHW; soft != 1 {
		t.Fatalf("the endpoint says that the mark is %d", soft)
	}
	for i := range 3 {
		ok(t, dat.EPPostRecv(s.ep, 1, s.mem.iov(0, 8), num(uint64(i)), 0))
	}
	d := expect(t, s.async, dat.AsyncErrorEPBroken).EventData.AsynchErrorEventData
	if d.DatHandle != dat.Handle(s.ep) || d.Reason != dat.SRQSoftHighWatermarkEvent {
		t.Fatalf("%+v", d)
	}
	empty(t, s.async)
	var n, span dat.Count
	if ok(t, dat.EPRecvQuery(s.ep, &n, &span)); n != 3 || span < n {
		t.Fatalf("%d, span %d", n, span)
	}
}

func TestCommonServicePoint(t *testing.T) {
	paths(t, func(t *testing.T, name string) {
		a, b := newSide(t, name, nil), newSide(t, name, nil)
		address := &net.TCPAddr{IP: host(name).(*net.IPAddr).IP, Port: int(service("soft-tcp"))}
		var csp dat.CSPHandle
		ok(t, dat.CSPCreate(a.ia, &dat.Comm{Domain: 2, Type: 1}, address, a.cr, &csp))
		var p dat.CSPParam
		if ok(t, dat.CSPQuery(csp, dat.CSPFieldAll, &p)); p.AddressPtr != net.Addr(address) || p.Comm.Domain != 2 {
			t.Fatalf("%+v", p)
		}
		ok(t, dat.EPCommonConnect(b.ep, address, second, 2, []byte("hi")))
		ev := expect(t, a.cr, dat.ConnectionRequestEvent).EventData.CRArrivalEventData
		if ev.SPHandle.CSPHandle != csp || ev.ConnQual != dat.ConnQual(address.Port) || ev.TruncateFlag {
			t.Fatalf("%+v", ev)
		}
		ok(t, dat.CRAccept(ev.CRHandle, a.ep, 0, nil))
		expect(t, a.conn, dat.ConnectionEventEstablished)
		ok(t, dat.CSPFree(csp))
	})
}

func TestSendWithInvalidate(t *testing.T) {
	needs(t, "windows", windows)
	paths(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		var rmr dat.RMRHandle
		ok(t, dat.RMRCreateForEP(a.pz, &rmr))
		var key dat.RMRContext
		ok(t, dat.RMRBind20(rmr, a.mem.lmr, &a.mem.iov(0, 64)[0], dat.MemPrivRemoteWriteFlag, dat.VATypeVA, a.ep, num(1), 0, &key))
		expect(t, a.req, dat.RMRBindCompletionEvent)
		ok(t, dat.EPPostRecv(a.ep, 1, a.mem.iov(128, 64), num(2), 0))
		ok(t, dat.EPPostSendWithInvalidate(b.ep, 1, b.mem.iov(0, 8), num(3), 0, dat.True, key))
		if c := completion(t, a.recv, dat.DTOSuccess); c.Operation != dat.DTOReceiveWithInvalidate || c.RMRContext != key {
			t.Fatalf("%+v, want key %#x", c, key)
		}
		var p dat.RMRParam
		if ok(t, dat.RMRQuery(rmr, dat.RMRFieldAll, &p)); p.RMRScope != dat.RMRScopeEP {
			t.Fatalf("%+v", p)
		}
	})
}

func TestReadToWindow(t *testing.T) {
	needs(t, "windows", windows)
	w := newWorld(t)
	local := boundWindow(w)
	copy(w.peer.mem.b, "to be read")
	ok(t, dat.EPPostRDMAReadToRMR(w.c.ep, local, num(4), w.peer.mem.remote(0, 10), 0))
	if c := completion(t, w.c.req, dat.DTOSuccess); c.UserCookie != num(4) || string(w.c.mem.b[:10]) != "to be read" {
		t.Fatalf("%+v, %q", c, w.c.mem.b[:10])
	}
}

func TestInfiniBandExtension(t *testing.T) {
	needs(t, "atomic operations", atomics)
	paths(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		there := a.mem.b[64:72]
		binary.NativeEndian.PutUint64(there, 40)
		former := func() uint64 { return binary.NativeEndian.Uint64(b.mem.b[:8]) }
		ext := func(kind dat.IBExtType, op dat.DTOS) dat.Event {
			t.Helper()
			ev := expect(t, b.req, dat.IBDTOEvent)
			if x := ev.EventExtensionData; x.Type != kind || x.Status != dat.OpSuccess || ev.EventData.DTOCompletionEventData.Operation != op {
				t.Fatalf("%+v", ev)
			}
			return ev
		}
		ok(t, dat.IBPostFetchAndAdd(b.ep, 2, &b.mem.iov(0, 8)[0], num(1), a.mem.remote(64, 8), 0))
		ext(dat.IBFetchAndAdd, dat.IBDTOFetchAdd)
		if former() != 40 {
			t.Fatal(former())
		}
		ok(t, dat.IBPostCmpAndSwap(b.ep, 42, 7, &b.mem.iov(0, 8)[0], num(1), a.mem.remote(64, 8), 0))
		ext(dat.IBCmpAndSwap, dat.IBDTOCmpSwap)
		if former() != 42 || binary.NativeEndian.Uint64(there) != 7 {
			t.Fatal(former(), there)
		}
		ok(t, dat.EPPostRecv(a.ep, 1, a.mem.iov(0, 8), num(5), 0))
		copy(b.mem.b, "immediate")
		ok(t, dat.IBPostRDMAWriteImmed(b.ep, 1, b.mem.iov(0, 9), num(2), a.mem.remote(128, 9), 0xCAFE, dat.CompletionSolicitedWaitFlag))
		ext(dat.IBRDMAWriteImmed, dat.IBDTORDMAWriteImmed)
		ev := expect(t, a.recv, dat.IBDTOEvent)
		if x := ev.EventExtensionData; x.Type != dat.IBRDMAWriteImmedData || x.ImmedData != 0xCAFE ||
			ev.EventData.DTOCompletionEventData.UserCookie != num(5) || string(a.mem.b[128:137]) != "immediate" {
			t.Fatalf("%+v", ev)
		}
		var ia dat.IAHandle
		var at dat.IAAttr
		ok(t, dat.IBOpenQuery(name, &ia, dat.IAFieldAll, &at, 0, nil))
		if at.AdapterName != name {
			t.Fatal(at.AdapterName)
		}
		ok(t, dat.IBCloseQuery(ia))
	})
}

func TestNotificationDescriptor(t *testing.T) {
	ia, _ := open(t, usual)
	fd := dat.FD(-1)
	var c dat.CNOHandle
	if ret := dat.CNOFDCreate(ia, &fd, &c); ret.Type() == dat.ModelNotSupported {
		t.Skip("this system has no such descriptors")
	} else {
		ok(t, ret)
	}
	var e, hint dat.EVDHandle
	ok(t, dat.EVDCreate(ia, 8, c, dat.EVDSoftwareFlag, &e))
	want(t, dat.CNOTrigger(c, &hint), dat.QueueEmpty)
	software(t, e, 1)
	ok(t, dat.CNOTrigger(c, &hint))
	if hint != e || fd < 0 {
		t.Fatalf("%#x, descriptor %d", hint, fd)
	}
	want(t, dat.CNOTrigger(c, &hint), dat.QueueEmpty)
	var p dat.CNOParam
	if ok(t, dat.CNOQuery(c, dat.CNOFieldAll, &p)); p.ProxyType != dat.ProxyTypeFD || p.FD != fd {
		t.Fatalf("%+v", p)
	}
}

func TestHandoffToAnotherService(t *testing.T) {
	a, b := newSide(t, "soft-tcp", nil), newSide(t, "soft-tcp", nil)
	_, cr := request(a, b, "soft-tcp", []byte("carried along"))
	qual := service("soft-tcp")
	other := evd(t, a.ia, 8, dat.EVDCRFlag)
	var psp dat.PSPHandle
	ok(t, dat.PSPCreate(a.ia, qual, other, 0, &psp))
	ok(t, dat.CRHandoff(cr, qual))
	want(t, dat.CRReject(cr), dat.InvalidHandle)
	ev := expect(t, other, dat.ConnectionRequestEvent).EventData.CRArrivalEventData
	var p dat.CRParam
	ok(t, dat.CRQuery(ev.CRHandle, dat.CRFieldAll, &p))
	if string(p.PrivateData) != "carried along" || ev.SPHandle.PSPHandle != psp || ev.ConnQual != qual || p.RemotePortQual == 0 {
		t.Fatalf("%+v %+v", p, ev)
	}
	ok(t, dat.CRAccept(ev.CRHandle, a.ep, 0, nil))
	expect(t, b.conn, dat.ConnectionEventEstablished)
}

func TestRegionsOverRegions(t *testing.T) {
	w := newWorld(t)
	var over, other dat.LMRHandle
	var ctx dat.LMRContext
	var addr dat.Vaddr
	var size dat.Vlen
	ok(t, dat.LMRCreate(w.c.ia, dat.MemTypeLMR, dat.RegionDescription{ForLMRHandle: w.bare.lmr}, 0, w.c.pz, allPriv, &over, &ctx, nil, &size, &addr))
	if size != 64 || addr != dat.VaddrOf(w.bare.b) {
		t.Fatalf("%d bytes at %#x", size, addr)
	}
	var p dat.LMRParam
	ok(t, dat.LMRCreate(w.c.ia, dat.MemTypeLMR, dat.RegionDescription{ForLMRHandle: w.bare.lmr}, 4711, w.c.pz, allPriv, &other, nil, nil, nil, nil))
	ok(t, dat.LMRQuery(other, dat.LMRFieldLength, &p))
	if p.Length != 64 {
		t.Fatalf("a region over one of 64 bytes has %d: the argument has no meaning", p.Length)
	}
	ok(t, dat.LMRFree(w.bare.lmr)) // the other lives on
	ok(t, dat.EPPostSend(w.c.ep, 1, []dat.LMRTriplet{{LMRContext: ctx, VirtualAddress: addr, SegmentLength: 8}}, num(1), 0))
	want(t, dat.EPPostSend(w.c.ep, 1, w.bare.iov(0, 8), num(1), 0), dat.PrivilegesViolation)
}

func TestManyRegionsAreFound(t *testing.T) {
	s := newSide(t, usual, nil)
	var all []memory
	for range 300 {
		all = append(all, register(t, s.ia, s.pz, 16, allPriv))
	}
	for i, m := range all {
		if i%2 == 0 {
			ok(t, dat.LMRFree(m.lmr))
		}
	}
	for range 300 {
		all = append(all, register(t, s.ia, s.pz, 16, allPriv))
	}
	for i, m := range all {
		ret := dat.LMRSyncRDMARead(s.ia, m.iov(0, 16), 1)
		if found := ret == dat.Success; found != (i >= 300 || i%2 == 1) {
			t.Fatalf("region %d: %v", i, ret)
		}
	}
}

func TestPSPCreateAny(t *testing.T) {
	paths(t, func(t *testing.T, name string) {
		s := newSide(t, name, nil)
		var a, b dat.ConnQual
		var psp dat.PSPHandle
		ok(t, dat.PSPCreateAny(s.ia, &a, s.cr, 0, &psp))
		ok(t, dat.PSPCreateAny(s.ia, &b, s.cr, 0, &psp))
		if a == 0 || b == 0 || a == b {
			t.Fatalf("%d, %d", a, b)
		}
	})
}

func TestSharedQueueOfAnotherZone(t *testing.T) {
	s, q := sharedSide(t, 4)
	var p dat.ProviderAttr
	ok(t, dat.IAQuery(s.ia, nil, 0, nil, dat.ProviderFieldAll, &p))
	if p.SRQEPPZDifferenceSupported {
		t.Fatal("then the rest of this test is wrong")
	}
	var pz dat.PZHandle
	var ep dat.EPHandle
	ok(t, dat.PZCreate(s.ia, &pz))
	at := s.attr()
	want(t, dat.EPCreateWithSRQ(s.ia, pz, s.recv, s.req, s.conn, q, &at, &ep), dat.InvalidParameter, dat.InvalidArg2)
	want(t, dat.EPModify(s.ep, dat.EPFieldPZHandle, &dat.EPParam{PZHandle: pz}), dat.InvalidParameter)
	m := register(t, s.ia, pz, 64, allPriv)
	want(t, dat.SRQPostRecv(q, 1, m.iov(0, 64), num(1)), dat.ProtectionViolation)
}

// TestLateCookies: a pointer is kept for operations that complete late, and for those
// that are flushed.
func TestLateCookies(t *testing.T) {
	a, b := pair(t, usual)
	type tag struct{ n int }
	for i := range 3 {
		ok(t, dat.EPPostRecv(a.ep, 1, a.mem.iov(0, 64), dat.Context{AsPtr: &tag{i}, As64: 5}, 0))
	}
	like := num(0xDA71 << 48) // a number that looks like a place
	ok(t, dat.EPPostSend(b.ep, 1, b.mem.iov(0, 8), like, 0))
	if c := completion(t, b.req, dat.DTOSuccess); c.UserCookie != like {
		t.Fatalf("%+v", c)
	}
	ok(t, dat.EPDisconnect(b.ep, dat.CloseAbruptFlag))
	for i, status := range []dat.DTOCompletionStatus{dat.DTOSuccess, dat.DTOErrFlushed, dat.DTOErrFlushed} {
		c := completion(t, a.recv, status)
		if p, ok := c.UserCookie.AsPtr.(*tag); !ok || p.n != i || c.UserCookie.As64 != 5 {
			t.Fatalf("%d: %+v", i, c)
		}
	}
}
