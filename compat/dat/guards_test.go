package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

func TestNotifyNeedsADispatcherOfItsOwn(t *testing.T) {
	s := newSide(t, usual, nil)
	at := s.attr()
	at.RecvCompletionFlags = dat.CompletionUnsignalledFlag
	all := evd(t, s.ia, 64, dat.EVDDefaultFlag)
	var ep dat.EPHandle
	ok(t, dat.EPCreate(s.ia, s.pz, 0, 0, all, nil, &ep)) // connection events
	want(t, dat.EPCreate(s.ia, s.pz, all, 0, 0, &at, &ep), dat.InvalidParameter, dat.InvalidArg6)
}

func TestAHandleIsNeverUsedAgain(t *testing.T) {
	ia, _ := open(t, usual)
	seen := map[dat.EVDHandle]bool{}
	for range 50 {
		h := evd(t, ia, 2, dat.EVDSoftwareFlag)
		if seen[h] {
			t.Fatalf("%#x for the second time", h)
		}
		seen[h] = true
		ok(t, dat.EVDFree(h))
		again := evd(t, ia, 2, dat.EVDSoftwareFlag)
		want(t, dat.EVDEnable(h), dat.InvalidHandle)
		ok(t, dat.EVDFree(again))
	}
}

func TestOneRequestPerReservation(t *testing.T) {
	notIWARP(t, "it does not tell a program's refusal from that of nobody listening")
	s := in(t, "R")
	var others []*side
	for range 8 {
		others = append(others, newSide(t, patient, nil))
	}
	start := make(chan struct{})
	asked := make(chan dat.Return, len(others))
	for _, o := range others {
		go func() {
			<-start
			asked <- dat.EPConnect(o.ep, host(""), s.qual, second, 0, nil, 0, 0)
		}()
	}
	close(start)
	for range others {
		ok(t, <-asked)
	}
	cr := expect(t, s.side.cr, dat.ConnectionRequestEvent).EventData.CRArrivalEventData.CRHandle
	ok(t, dat.CRReject(cr))
	rejected := 0
	for _, o := range others {
		switch ev := next(t, o.conn); ev.EventNumber {
		case dat.ConnectionEventPeerRejected:
			rejected++
		case dat.ConnectionEventNonPeerRejected:
		default:
			t.Fatalf("event %#x", ev.EventNumber)
		}
	}
	empty(t, s.side.cr)
	// A device that ends a listener refuses the pending requests with the same status.
	if rejected != 1 && !(onDevice() && rejected > 1) {
		t.Fatalf("%d requests were answered", rejected)
	}
}

// TestFreeingEverything leaves nothing that a graceful close could find.
func TestFreeingEverything(t *testing.T) {
	w := newWorld(t)
	ok(t, dat.CRReject(w.cr))
	ok(t, dat.PSPFree(w.psp))
	var rsp dat.RSPParam
	ok(t, dat.RSPQuery(w.rsp, dat.RSPFieldAll, &rsp))
	ok(t, dat.RSPFree(w.rsp))
	ok(t, dat.EPFree(rsp.EPHandle))
	ok(t, dat.EPFree(w.u.ep))
	ok(t, dat.SRQFree(w.srq))
	ok(t, dat.CNOFree(w.cno))
	var csp dat.CSPHandle
	ok(t, dat.CSPCreate(w.u.ia, &dat.Comm{Domain: 2, Type: 1}, &tcpAddr{service("")}, w.u.cr, &csp))
	ok(t, dat.CSPFree(csp))
	var rmr dat.RMRHandle
	ok(t, dat.RMRCreate(w.u.pz, &rmr))
	ok(t, dat.RMRFree(rmr))
	ok(t, dat.LMRFree(w.u.mem.lmr))
	for _, h := range []dat.EVDHandle{w.soft, w.u.recv, w.u.req, w.u.conn, w.u.cr} {
		ok(t, dat.EVDFree(h))
	}
	want(t, dat.IAClose(w.u.ia, dat.CloseGracefulFlag), dat.InvalidState, dat.InvalidStateIAInUse)
	ok(t, dat.PZFree(w.u.pz))
	ok(t, dat.IAClose(w.u.ia, dat.CloseGracefulFlag))
}

// TestAPlaceIsFreedOnce: the cookie place of a failed suppressed request is freed with
// its event, and its later user keeps it.
func TestAPlaceIsFreedOnce(t *testing.T) {
	notIWARP(t, unacknowledged)
	a, b := pair(t, usual)
	bad := a.mem.remote(0, 8)
	bad.RMRContext++
	first, second := dat.Context{AsPtr: "first"}, dat.Context{AsPtr: "second"}
	ok(t, dat.EPPostRDMAWrite(b.ep, 1, b.mem.iov(0, 8), first, bad, dat.CompletionSuppressFlag))
	if c := completion(t, b.req, dat.DTOErrRemoteAccess); c.UserCookie != first {
		t.Fatalf("%+v", c)
	}
	var other dat.EPHandle
	ok(t, dat.EPCreate(b.ia, b.pz, b.recv, b.req, b.conn, nil, &other))
	ok(t, dat.EPPostRecv(other, 1, b.mem.iov(0, 8), second, 0))
	ok(t, dat.EPFree(b.ep))
	ok(t, dat.EPFree(other))
	if c := completion(t, b.recv, dat.DTOErrFlushed); c.UserCookie != second {
		t.Fatalf("%+v", c)
	}
}

func TestFlagsOfPostedReceivesStay(t *testing.T) {
	s := newSide(t, usual, nil)
	p := dat.EPParam{EPAttr: s.attr()}
	ok(t, dat.EPModify(s.ep, dat.EPFieldEPAttrRecvCompletionFlags, &p))
	ok(t, dat.EPPostRecv(s.ep, 1, s.mem.iov(0, 8), num(1), 0))
	want(t, dat.EPModify(s.ep, dat.EPFieldEPAttrRecvCompletionFlags, &p), dat.InvalidState)
	ok(t, dat.EPModify(s.ep, dat.EPFieldEPAttrMaxRequestDTOS, &p)) // others may change
}

func TestResizeCountsWhatIsQueued(t *testing.T) {
	a, b := pair(t, usual)
	for range 5 {
		ok(t, dat.EPPostRDMAWrite(b.ep, 1, b.mem.iov(0, 8), num(1), a.mem.remote(0, 8), 0))
	}
	queued(t, b.req, 5)
	want(t, dat.EVDResize(b.req, 2), dat.InvalidState)
	ok(t, dat.EVDResize(b.req, 100))
	for range 5 {
		completion(t, b.req, dat.DTOSuccess)
	}
	ok(t, dat.EVDResize(b.req, 2))
	var p dat.EVDParam
	if ok(t, dat.EVDQuery(b.req, dat.EVDFieldEVDQlen, &p)); p.EVDQlen < 2 {
		t.Fatal(p.EVDQlen)
	}
}

func TestEverythingOrNothingIsModified(t *testing.T) {
	s := newSide(t, usual, nil)
	before := dat.EPParam{}
	ok(t, dat.EPQuery(s.ep, dat.EPFieldAll, &before))
	p := before
	p.EPAttr.MaxRecvDTOS, p.EPAttr.MaxRequestDTOS = 40, -1
	want(t, dat.EPModify(s.ep, dat.EPFieldEPAttrMaxRecvDTOS|dat.EPFieldEPAttrMaxRequestDTOS, &p), dat.InvalidParameter)
	p.RecvEVDHandle = s.conn // lacks the stream
	want(t, dat.EPModify(s.ep, dat.EPFieldEPAttrMaxRecvDTOS|dat.EPFieldRecvEVDHandle, &p), dat.InvalidHandle, dat.InvalidHandleEVDRecv)
	var after dat.EPParam
	ok(t, dat.EPQuery(s.ep, dat.EPFieldAll, &after))
	if after.EPAttr.MaxRecvDTOS != before.EPAttr.MaxRecvDTOS || after.RecvEVDHandle != before.RecvEVDHandle {
		t.Fatalf("%+v", after)
	}
}

// TestCompletionsOverflow: a dispatcher that is too small for the completions loses
// some, says so, and its connection breaks.
func TestCompletionsOverflow(t *testing.T) {
	softOnly(t, "its queues are deeper than asked for")
	a, b := newSide(t, usual, nil), newSide(t, usual, nil)
	small := evd(t, b.ia, 1, dat.EVDDTOFlag)
	ok(t, dat.EPFree(b.ep))
	ok(t, dat.EPCreate(b.ia, b.pz, b.recv, small, b.conn, nil, &b.ep))
	connect(a, b, usual)
	for range 8 {
		if dat.EPPostRDMAWrite(b.ep, 1, b.mem.iov(0, 8), num(1), a.mem.remote(0, 8), 0) != dat.Success {
			break
		}
	}
	d := expect(t, b.async, dat.AsyncErrorEVDOverflow).EventData.AsynchErrorEventData
	if d.DatHandle != dat.Handle(small) || d.Reason != dat.EVDOverflowError {
		t.Fatalf("%+v", d)
	}
	expect(t, b.conn, dat.ConnectionEventBroken)
}

// TestNmoreCountsCompletions: nmore includes entries that are still in the completion
// queue.
func TestNmoreCountsCompletions(t *testing.T) {
	a, b := pair(t, usual)
	for i := range 5 {
		ok(t, dat.EPPostRDMAWrite(b.ep, 1, b.mem.iov(0, 8), num(uint64(i)), a.mem.remote(0, 8), 0))
	}
	queued(t, b.req, 5)
	var ev dat.Event
	var more dat.Count
	for i := range 5 {
		ok(t, dat.EVDWait(b.req, 0, 1, &ev, &more))
		if int(more) != 4-i || ev.EventData.DTOCompletionEventData.UserCookie != num(uint64(i)) {
			t.Fatalf("event %d: nmore %d, %+v", i, more, ev.EventData.DTOCompletionEventData)
		}
	}
}
