package dat_test

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/compat/dat"
)

func TestTrap16ProvidersEndpointsHaveNothing(t *testing.T) {
	passive, active := newSide(t, usual, nil), newSide(t, usual, nil)
	qual := service(usual)
	var psp dat.PSPHandle
	ok(t, dat.PSPCreate(passive.ia, qual, passive.cr, dat.PSPProviderFlag, &psp))
	ok(t, dat.EPConnect(active.ep, host(""), qual, second, 0, nil, 0, 0))
	cr := expect(t, passive.cr, dat.ConnectionRequestEvent).EventData.CRArrivalEventData.CRHandle
	var c dat.CRParam
	ok(t, dat.CRQuery(cr, dat.CRFieldAll, &c))
	var p dat.EPParam
	ok(t, dat.EPQuery(c.LocalEPHandle, dat.EPFieldAll, &p))
	if p.EPState != dat.EPStateTentativeConnectionPending || p.PZHandle != dat.HandleNull || p.RecvEVDHandle != dat.HandleNull ||
		p.RequestEVDHandle != dat.HandleNull || p.ConnectEVDHandle != dat.HandleNull {
		t.Fatalf("%+v", p)
	}
	want(t, dat.CRAccept(cr, dat.HandleNull, 0, nil), dat.InvalidHandle, dat.InvalidHandleEP)
	ok(t, dat.CRQuery(cr, dat.CRFieldAll, &c)) // it is alive
	p.PZHandle, p.ConnectEVDHandle = passive.pz, passive.conn
	ok(t, dat.EPModify(c.LocalEPHandle, dat.EPFieldPZHandle|dat.EPFieldConnectEVDHandle, &p))
	ok(t, dat.CRAccept(cr, dat.HandleNull, 0, nil))
	expect(t, passive.conn, dat.ConnectionEventEstablished)
	expect(t, active.conn, dat.ConnectionEventEstablished)
	// Completions that no dispatcher wants go nowhere.
	for range 100 {
		ok(t, room(func() dat.Return {
			return dat.EPPostRDMAWrite(c.LocalEPHandle, 1, passive.mem.iov(0, 8), num(1), active.mem.remote(0, 8), dat.CompletionSuppressFlag)
		}))
	}
}

func TestTrap17AcceptWithTheRightEndpoint(t *testing.T) {
	s := in(t, "P")
	want(t, dat.CRAccept(s.cr, s.ep, 0, nil), dat.InvalidHandle, dat.InvalidHandleEP)
	want(t, dat.CRAccept(s.cr, s.sibling(), 0, nil), dat.InvalidHandle, dat.InvalidHandleEP)
	ok(t, dat.CRAccept(s.cr, dat.HandleNull, 0, nil))
	passive, active := newSide(t, usual, nil), newSide(t, usual, nil)
	_, cr := request(passive, active, usual, nil)
	want(t, dat.CRAccept(cr, dat.HandleNull, 0, nil), dat.InvalidHandle, dat.InvalidHandleEP)
	ok(t, dat.CRAccept(cr, passive.ep, 0, nil))
	want(t, dat.CRAccept(cr, passive.ep, 0, nil), dat.InvalidHandle, dat.InvalidHandleCR)
}

func TestTrap18ReservedServicePoint(t *testing.T) {
	s := in(t, "R")
	want(t, dat.EPFree(s.ep), dat.InvalidState, dat.InvalidStateEPReserved)
	ok(t, dat.EPConnect(s.peer.ep, host(""), s.qual, second, 0, nil, 0, 0))
	cr := expect(t, s.side.cr, dat.ConnectionRequestEvent).EventData.CRArrivalEventData.CRHandle
	want(t, dat.EPFree(s.ep), dat.InvalidState, dat.InvalidStateEPPassconnpending)
	// One request, then the listener is gone.
	third := newSide(t, patient, nil)
	ok(t, dat.EPConnect(third.ep, host(""), s.qual, second, 0, nil, 0, 0))
	expect(t, third.conn, dat.ConnectionEventNonPeerRejected)
	// The qualifier is free again, and the old handle may be freed, once.
	var psp dat.PSPHandle
	ok(t, dat.PSPCreate(s.ia, s.qual, s.side.cr, 0, &psp))
	ok(t, dat.RSPFree(s.rsp))
	want(t, dat.RSPFree(s.rsp), dat.InvalidHandle, dat.InvalidHandleRSP)
	ok(t, dat.CRReject(cr))
	if st := s.state(); st != dat.EPStateUnconnected {
		t.Fatalf("state %d", st)
	}
	ok(t, dat.EPFree(s.ep))
}

func TestTrap19PrivateData(t *testing.T) {
	paths(t, func(t *testing.T, name string) {
		passive, active := newSide(t, name, nil), newSide(t, name, nil)
		out := []byte("from the active side")
		_, cr := request(passive, active, name, out)
		clear(out) // it was copied
		var c dat.CRParam
		ok(t, dat.CRQuery(cr, dat.CRFieldPrivateData, &c))
		if !private(c.PrivateData, "from the active side") || int(c.PrivateDataSize) != len(c.PrivateData) {
			t.Fatalf("%q", c.PrivateData)
		}
		ok(t, dat.CRAccept(cr, passive.ep, 5, []byte("answer")))
		d := expect(t, active.conn, dat.ConnectionEventEstablished).EventData.ConnectEventData
		if !private(d.PrivateData, "answe") || int(d.PrivateDataSize) != len(d.PrivateData) || d.EPHandle != active.ep {
			t.Fatalf("%+v", d)
		}
		d = expect(t, passive.conn, dat.ConnectionEventEstablished).EventData.ConnectEventData
		if d.PrivateDataSize != 0 || d.PrivateData != nil {
			t.Fatalf("the passive side gets %+v", d)
		}
		want(t, dat.CRQuery(cr, dat.CRFieldPrivateData, &c), dat.InvalidHandle, dat.InvalidHandleCR)
	})
}

func TestTrap20ClosingAnAdapter(t *testing.T) {
	var async, e dat.EVDHandle
	var ia dat.IAHandle
	ok(t, dat.IAOpen(usual, 8, &async, &ia))
	ok(t, dat.IAClose(ia, dat.CloseGracefulFlag)) // the dispatcher of the open does not count
	want(t, dat.EVDEnable(async), dat.InvalidHandle)
	async = dat.HandleNull
	ok(t, dat.IAOpen(usual, 8, &async, &ia))
	e = evd(t, ia, 8, dat.EVDSoftwareFlag)
	want(t, dat.IAClose(ia, dat.CloseGracefulFlag), dat.InvalidState, dat.InvalidStateIAInUse)
	software(t, e, 1) // nothing has changed
	var ev dat.Event
	ok(t, dat.EVDDequeue(e, &ev))
	var c dat.CNOHandle
	ok(t, dat.CNOCreate(ia, dat.OsWaitProxyAgentNull, &c))
	ok(t, dat.EVDModifyCNO(e, c))
	agents := make(chan dat.EVDHandle, 1)
	ok(t, dat.CNOModifyAgent(c, dat.OsWaitProxyAgent{ProxyAgentFunc: func(_ dat.Pvoid, h dat.EVDHandle) { agents <- h }}))
	done := waiting(t, e, 1)
	released := make(chan dat.Return, 1)
	go func() {
		h := e
		ret := dat.CNOWait(c, second, &h)
		if ret == dat.Success && h != dat.HandleNull {
			ret = dat.InternalError
		}
		released <- ret
	}()
	ok(t, dat.IAClose(ia, dat.CloseAbruptFlag))
	want(t, <-done, dat.Abort)
	// The wait may have begun when all was over.
	if ret := <-released; ret != dat.Success && ret.Type() != dat.InvalidHandle {
		t.Fatal(ret)
	}
	if h := <-agents; h != dat.HandleNull {
		t.Fatalf("the agent was told %#x", h)
	}
	want(t, dat.IAClose(ia, dat.CloseAbruptFlag), dat.InvalidHandle, dat.InvalidHandleIA)
}

func TestTrap21AFailedConnect(t *testing.T) {
	s := newSide(t, usual, nil)
	ok(t, dat.EPPostRecv(s.ep, 1, s.mem.iov(0, 8), num(1), 0))
	ok(t, dat.EPConnect(s.ep, host(""), service(usual), second, 0, nil, 0, 0))
	expect(t, s.conn, dat.ConnectionEventNonPeerRejected)
	completion(t, s.recv, dat.DTOErrFlushed)
	if st := s.state(); st != dat.EPStateDisconnected {
		t.Fatalf("state %d", st)
	}
	want(t, dat.EPConnect(s.ep, host(""), 1, second, 0, nil, 0, 0), dat.InvalidState, dat.InvalidStateEPDisconnected)
	ok(t, dat.EPReset(s.ep))
	other := newSide(t, usual, nil)
	connect(other, s, usual)
}

func TestTrap22TimeoutZero(t *testing.T) {
	s := newSide(t, usual, nil)
	want(t, dat.EPConnect(s.ep, host(""), 1, 0, 0, nil, 0, 0), dat.InvalidParameter, dat.InvalidArg4)
	want(t, dat.EPDupConnect(s.ep, s.ep, 0, 0, nil, 0), dat.InvalidParameter, dat.InvalidArg3)
	want(t, dat.EPCommonConnect(s.ep, &tcpAddr{1}, 0, 0, nil), dat.InvalidParameter, dat.InvalidArg3)
	var ev dat.Event
	var more dat.Count
	want(t, dat.EVDWait(s.conn, 0, 1, &ev, &more), dat.TimeoutExpired)
}

func TestTrap24ListingWithZero(t *testing.T) {
	n := dat.Count(-1)
	want(t, dat.RegistryListProviders(0, &n, nil), dat.InvalidParameter, dat.InvalidArg1)
	if n < 12 {
		t.Fatalf("%d entries", n)
	}
	list := make([]*dat.ProviderInfo, n)
	for i := range list {
		list[i] = new(dat.ProviderInfo)
	}
	total := n
	n = 0
	want(t, dat.RegistryListProviders(total-1, &n, list), dat.InvalidParameter, dat.InvalidArg1)
	if n != total {
		t.Fatalf("%d, want %d", n, total)
	}
	ok(t, dat.RegistryListProviders(total, &n, list))
	seen := map[dat.ProviderInfo]bool{}
	for _, p := range list {
		if seen[*p] {
			t.Fatalf("%+v twice", *p)
		}
		seen[*p] = true
	}
	if !seen[dat.ProviderInfo{IAName: "soft", DaplVersionMajor: 1, DaplVersionMinor: 2}] {
		t.Fatal("there is no soft")
	}
}

// sharedSide is a side whose endpoint uses a shared receive queue.
func sharedSide(t *testing.T, depth dat.Count) (*side, dat.SRQHandle) {
	t.Helper()
	s := newSide(t, usual, nil)
	var q dat.SRQHandle
	ok(t, dat.SRQCreate(s.ia, s.pz, &dat.SRQAttr{MaxRecvDTOS: depth, MaxRecvIOV: 2}, &q))
	at := s.attr()
	at.SRQSoftHW = dat.HWDefault
	ok(t, dat.EPFree(s.ep))
	ok(t, dat.EPCreateWithSRQ(s.ia, s.pz, s.recv, s.req, s.conn, q, &at, &s.ep))
	return s, q
}

func TestTrap25SharedReceiveQueue(t *testing.T) {
	a, q := sharedSide(t, 10)
	b := newSide(t, usual, nil)
	connect(a, b, usual)
	want(t, dat.EPPostRecv(a.ep, 1, a.mem.iov(0, 8), num(1), 0), dat.InvalidState, dat.InvalidStateSRQInUse)
	for i := range 3 {
		ok(t, dat.SRQPostRecv(q, 1, a.mem.iov(64*i, 64), num(uint64(i))))
	}
	// On devices wait: over iWARP a send may complete before the message arrives, and a message that comes just when this
	// side learns of its connection counts behind that.
	counts := func(available, outstanding dat.Count) {
		t.Helper()
		for late := time.Now().Add(10 * time.Second); ; runtime.Gosched() {
			var p dat.SRQParam
			ok(t, dat.SRQQuery(q, dat.SRQFieldAll, &p))
			if p.AvailableDTOCount == available && p.OutstandingDTOCount == outstanding {
				return
			}
			if !onDevice() || time.Now().After(late) {
				t.Fatalf("available %d, outstanding %d; want %d, %d", p.AvailableDTOCount, p.OutstandingDTOCount, available, outstanding)
			}
		}
	}
	counts(3, 3)
	ok(t, dat.EPPostSend(b.ep, 1, b.mem.iov(0, 8), num(1), 0))
	completion(t, b.req, dat.DTOSuccess)
	counts(2, 3)
	if c := completion(t, a.recv, dat.DTOSuccess); c.EPHandle != a.ep || c.UserCookie != num(0) {
		t.Fatalf("%+v", c)
	}
	counts(2, 2)
	// The watermark: once per arming, below and not at it.
	low := func() {
		t.Helper()
		d := expect(t, a.async, dat.AsyncErrorEPBroken).EventData.AsynchErrorEventData
		if d.DatHandle != dat.Handle(q) || d.Reason != dat.SRQLowWatermarkEvent {
			t.Fatalf("%+v", d)
		}
	}
	ok(t, dat.SRQSetLW(q, 2))
	empty(t, a.async)
	ok(t, dat.EPPostSend(b.ep, 1, b.mem.iov(0, 8), num(1), 0))
	low()
	ok(t, dat.EPPostSend(b.ep, 1, b.mem.iov(0, 8), num(1), 0))
	completion(t, b.req, dat.DTOSuccess)
	completion(t, b.req, dat.DTOSuccess)
	empty(t, a.async)
	ok(t, dat.SRQSetLW(q, 1)) // it is so already
	low()
	want(t, dat.SRQFree(q), dat.InvalidState, dat.InvalidStateSRQInUse)
}

func TestTrap25AnEmptySharedQueueBreaks(t *testing.T) {
	notIWARP(t, unwaited)
	a, _ := sharedSide(t, 4)
	b := newSide(t, usual, nil)
	connect(a, b, usual)
	ok(t, dat.EPPostSend(b.ep, 1, b.mem.iov(0, 8), num(1), 0))
	completion(t, b.req, dat.DTOErrReceiverNotReady)
	expect(t, b.conn, dat.ConnectionEventBroken)
	broken(t, a.conn)
	d := expect(t, a.async, dat.AsyncErrorEPBroken).EventData.AsynchErrorEventData
	if d.DatHandle != dat.Handle(a.ep) {
		t.Fatalf("%+v", d)
	}
}

// TestConstants covers all numbers; these are often confused.
func TestTrap26NumbersOf12(t *testing.T) {
	for _, n := range []struct{ have, want uint64 }{
		{uint64(dat.EPFieldAll), 0x7FFFF7FF}, {uint64(dat.LMRFieldAll), 0x3FF}, {uint64(dat.InvalidHandle1), 26},
		{uint64(dat.SRQStateOperational), 0}, {uint64(dat.PZShareable), 2}, {uint64(dat.NotImplemented), 0xFFF0000},
	} {
		if n.have != n.want {
			t.Errorf("%#x, want %#x", n.have, n.want)
		}
	}
}

func TestTrap27BugsNotToCopy(t *testing.T) {
	// Idle flags the right way round.
	s := newSide(t, usual, nil)
	var recv, req dat.Boolean
	ok(t, dat.EPGetStatus(s.ep, nil, &recv, &req))
	if !recv || !req {
		t.Fatal("idle endpoints are not")
	}
	ok(t, dat.EPPostRecv(s.ep, 1, s.mem.iov(0, 8), num(1), 0))
	ok(t, dat.EPGetStatus(s.ep, nil, &recv, &req))
	if recv || !req {
		t.Fatal("a posted receive is no sign of idleness")
	}
	// Handle types of everything.
	var c dat.CNOHandle
	ok(t, dat.CNOCreate(s.ia, dat.OsWaitProxyAgentNull, &c))
	_, q := sharedSide(t, 4)
	var kind dat.HandleType
	for h, k := range map[dat.Handle]dat.HandleType{
		dat.Handle(s.ia): dat.HandleTypeIA, dat.Handle(s.pz): dat.HandleTypePZ, dat.Handle(s.ep): dat.HandleTypeEP,
		dat.Handle(s.recv): dat.HandleTypeEVD, dat.Handle(c): dat.HandleTypeCNO, dat.Handle(q): dat.HandleTypeSRQ,
		dat.Handle(s.mem.lmr): dat.HandleTypeLMR,
	} {
		if ok(t, dat.GetHandleType(h, &kind)); kind != k {
			t.Errorf("%#x is %d, want %d", h, kind, k)
		}
	}
}

func TestTrap28SyncCountsTo64Bits(t *testing.T) {
	s := newSide(t, usual, nil)
	ok(t, dat.LMRSyncRDMARead(s.ia, s.mem.iov(0, 8), 1))
	ok(t, dat.LMRSyncRDMAWrite(s.ia, s.mem.iov(0, 8), 1))
	want(t, dat.LMRSyncRDMARead(s.ia, s.mem.iov(0, 8), math.MaxUint64), dat.InvalidParameter, dat.InvalidArg2)
	want(t, dat.LMRSyncRDMAWrite(s.ia, s.mem.iov(8190, 8), 1), dat.InvalidParameter, dat.InvalidArg2)
	want(t, dat.EPPostSend(s.ep, -1, nil, num(1), 0), dat.InvalidParameter, dat.InvalidArg2)
	want(t, dat.EPPostRecv(s.ep, -1, nil, num(1), 0), dat.InvalidParameter, dat.InvalidArg2)
	want(t, dat.EPPostRecv(s.ep, 1, nil, num(1), 0), dat.InvalidParameter, dat.InvalidArg3)
}

func TestTrap29AnEmptySegmentIsNotLookedAt(t *testing.T) {
	a, b := pair(t, usual)
	garbage := dat.LMRTriplet{LMRContext: 0xDEAD, VirtualAddress: 1}
	iov := []dat.LMRTriplet{garbage, b.mem.iov(0, 4)[0], garbage, b.mem.iov(8, 4)[0]}
	ok(t, dat.EPPostRecv(a.ep, 2, []dat.LMRTriplet{garbage, a.mem.iov(0, 64)[0]}, num(1), 0))
	ok(t, dat.EPPostSend(b.ep, 4, iov, num(1), 0))
	if c := completion(t, a.recv, dat.DTOSuccess); c.TransferedLength != 8 {
		t.Fatal(c)
	}
	// Nothing at all is a message, too, and takes a receive.
	ok(t, dat.EPPostRecv(a.ep, 0, nil, num(2), 0))
	ok(t, dat.EPPostSend(b.ep, 0, nil, num(2), 0))
	if c := completion(t, a.recv, dat.DTOSuccess); c.TransferedLength != 0 || c.UserCookie != num(2) {
		t.Fatal(c)
	}
	ok(t, dat.EPPostSend(b.ep, 1, []dat.LMRTriplet{garbage}, num(3), 0))
	ok(t, dat.LMRSyncRDMARead(b.ia, []dat.LMRTriplet{garbage}, 1))
}

func TestTrap30OneEndPerConnection(t *testing.T) {
	paths(t, func(t *testing.T, name string) {
		a, b := pair(t, name)
		ok(t, dat.EPDisconnect(a.ep, dat.CloseAbruptFlag))
		ok(t, dat.EPDisconnect(b.ep, dat.CloseGracefulFlag))
		for _, s := range []*side{a, b} {
			if ev := next(t, s.conn); ev.EventNumber != dat.ConnectionEventDisconnected && ev.EventNumber != dat.ConnectionEventBroken {
				t.Fatalf("event %#x", ev.EventNumber)
			}
			ok(t, dat.EPDisconnect(s.ep, dat.CloseAbruptFlag))
			ok(t, dat.EPDisconnect(s.ep, dat.CloseGracefulFlag))
			empty(t, s.conn)
		}
	})
}
