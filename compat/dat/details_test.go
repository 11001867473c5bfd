package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestStronglyOrderedMemory registers memory of the type that Solaris has, where the
// processor orders strongly.
func TestStronglyOrderedMemory(t *testing.T) {
	t.Cleanup(dat.SetPlatform("amd64"))
	passive, active := pair(t, usual)
	b := make([]byte, 64)
	var lmr dat.LMRHandle
	var ctx dat.LMRContext
	var size dat.Vlen
	var at dat.Vaddr
	create := func(n dat.Vlen) dat.Return {
		return dat.LMRCreate(active.ia, dat.MemTypeSOVirtual, dat.RegionDescription{ForVA: b}, n, active.pz, allPriv, &lmr, &ctx, nil, &size, &at)
	}
	want(t, create(0), dat.InvalidParameter)
	ok(t, create(64))
	if size != 64 || at != dat.VaddrOf(b) {
		t.Errorf("%d bytes at %#x", size, at)
	}
	var p dat.LMRParam
	ok(t, dat.LMRQuery(lmr, dat.LMRFieldAll, &p))
	if p.MemType != dat.MemTypeSOVirtual || &p.RegionDesc.ForVA[0] != &b[0] {
		t.Errorf("%v of %v", p.MemType, p.RegionDesc)
	}
	copy(b, "ordered")
	iov := []dat.LMRTriplet{{LMRContext: ctx, VirtualAddress: dat.VaddrOf(b), SegmentLength: 7}}
	ok(t, dat.EPPostRDMAWrite(active.ep, 1, iov, num(1), passive.mem.remote(0, 7), 0))
	completion(t, active.req, dat.DTOSuccess)
	clear(b)
	ok(t, dat.EPPostRDMARead(active.ep, 1, iov, num(2), passive.mem.remote(0, 7), 0))
	completion(t, active.req, dat.DTOSuccess)
	if string(b[:7]) != "ordered" {
		t.Errorf("%q", b[:7])
	}
	ok(t, dat.LMRFree(lmr))
}

func TestReceivesNeedAZone(t *testing.T) {
	s := newSide(t, usual, nil)
	var ep dat.EPHandle
	ok(t, dat.EPCreate(s.ia, dat.HandleNull, s.recv, s.req, s.conn, nil, &ep))
	want(t, dat.EPPostRecv(ep, 1, s.mem.iov(0, 8), num(1), 0), dat.ProtectionViolation)
	want(t, dat.EPPostRecv(ep, 0, nil, num(1), 0), dat.ProtectionViolation)
	ok(t, dat.EPModify(ep, dat.EPFieldPZHandle, &dat.EPParam{PZHandle: s.pz}))
	ok(t, dat.EPPostRecv(ep, 1, s.mem.iov(0, 8), num(1), 0))
	ok(t, dat.EPFree(ep))
}

// TestBindDispatcher is an endpoint as 1.0 makes it, with a dispatcher for binds.
func TestBindDispatcher(t *testing.T) {
	paths(t, func(t *testing.T, name string) {
		if !limits().Caps.ZoneWindows {
			t.Skip("there are no windows")
		}
		passive, active := newSide(t, name, nil), newSide(t, name, nil)
		ok(t, dat.EPFree(active.ep))
		var cno dat.CNOHandle
		ok(t, dat.CNOCreate(active.ia, dat.OsWaitProxyAgentNull, &cno))
		var binds, hint dat.EVDHandle
		ok(t, dat.EVDCreate(active.ia, 8, cno, dat.EVDRMRBindFlag, &binds))
		ok(t, dat.EPCreate10(active.ia, active.pz, active.recv, active.req, active.conn, binds, nil, &active.ep))
		want(t, dat.EVDFree(binds), dat.InvalidState)
		connect(passive, active, name)
		var rmr dat.RMRHandle
		ok(t, dat.RMRCreate(active.pz, &rmr))
		bind := func(cookie dat.Context, status dat.DTOCompletionStatus) {
			t.Helper()
			var key dat.RMRContext
			ok(t, dat.RMRBind(rmr, &active.mem.iov(0, 64)[0], dat.MemPrivRemoteReadFlag, active.ep, cookie, 0, &key))
			ok(t, dat.CNOWait(cno, second, &hint))
			ev := expect(t, binds, dat.RMRBindCompletionEvent).EventData.RMRCompletionEventData
			if ev.RMRHandle != rmr || ev.UserCookie != cookie || ev.Status != status || hint != binds {
				t.Fatalf("%+v on %#x", ev, hint)
			}
		}
		bind(num(1), dat.DTOSuccess)
		empty(t, active.req)
		ok(t, dat.EPPostRDMAWrite(active.ep, 1, active.mem.iov(0, 8), num(3), passive.mem.remote(0, 8), 0))
		completion(t, active.req, dat.DTOSuccess)
		empty(t, binds)
		ok(t, dat.EPDisconnect(active.ep, dat.CloseAbruptFlag))
		expect(t, active.conn, dat.ConnectionEventDisconnected)
		bind(dat.Context{AsPtr: t}, dat.DTOErrFlushed)
		ok(t, dat.EPFree(active.ep))
		ok(t, dat.EVDFree(binds))
	})
}

// TestARequestWithoutRoomIsReported has more requests than the dispatcher holds: the
// peer is refused, and this side learns of it.
func TestARequestWithoutRoomIsReported(t *testing.T) {
	paths(t, func(t *testing.T, name string) {
		passive, active := newSide(t, name, nil), newSide(t, name, nil)
		cr := evd(t, passive.ia, 1, dat.EVDCRFlag)
		qual := service(name)
		var psp dat.PSPHandle
		ok(t, dat.PSPCreate(passive.ia, qual, cr, dat.PSPConsumerFlag, &psp))
		ask := func(ep dat.EPHandle) {
			t.Helper()
			ok(t, dat.EPConnect(ep, host(name), qual, second, 0, nil, dat.QOSBestEffort, dat.ConnectDefaultFlag))
		}
		var other dat.EPHandle
		ok(t, dat.EPCreate(active.ia, active.pz, active.recv, active.req, active.conn, nil, &other))
		ask(active.ep)
		ask(other)
		expect(t, active.conn, dat.ConnectionEventNonPeerRejected)
		ev := expect(t, passive.async, dat.AsyncErrorEVDOverflow).EventData.AsynchErrorEventData
		if ev.DatHandle != dat.Handle(cr) || ev.Reason != dat.EVDOverflowError {
			t.Errorf("%+v", ev)
		}
		ok(t, dat.CRReject(expect(t, cr, dat.ConnectionRequestEvent).EventData.CRArrivalEventData.CRHandle))
		expect(t, active.conn, dat.ConnectionEventPeerRejected)
	})
}
