package dat_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/compat/dat"
)

// The traps of the interface, in the order of the reference: common mistakes of
// programs and providers.

// waiting starts a wait and returns when it is blocked.
func waiting(t *testing.T, h dat.EVDHandle, threshold dat.Count) <-chan dat.Return {
	t.Helper()
	done := make(chan dat.Return, 1)
	go func() {
		var ev dat.Event
		var more dat.Count
		done <- dat.EVDWait(h, second, threshold, &ev, &more)
	}()
	blocked(t, h)
	return done
}

// blocked returns when a goroutine waits on a dispatcher.
func blocked(t *testing.T, h dat.EVDHandle) {
	t.Helper()
	var ev dat.Event
	for {
		switch ret := dat.EVDDequeue(h, &ev); ret.Type() {
		case dat.InvalidState:
			return
		case dat.QueueEmpty:
		default:
			t.Fatal(ret)
		}
	}
}

func software(t testing.TB, h dat.EVDHandle, p any) {
	t.Helper()
	ev := dat.Event{EventNumber: dat.SoftwareEvent}
	ev.EventData.SoftwareEventData.Pointer = p
	ok(t, dat.EVDPostSE(h, &ev))
}

func TestTrap01ClassBit(t *testing.T) {
	ret := dat.EVDEnable(dat.HandleNull)
	if ret == dat.InvalidHandle || ret.Type() != dat.InvalidHandle || ret.Class() != dat.ClassError {
		t.Fatalf("%#x", uint32(ret))
	}
	if !errors.Is(ret, dat.InvalidHandle) || errors.Is(ret, dat.InvalidState) || dat.IsWarning(ret) {
		t.Fatal("errors.Is compares something else than the type")
	}
	if dat.GetType(ret) != dat.InvalidHandle || dat.GetSubtype(ret) != ret.Subtype() || ret.Err() == nil || dat.Success.Err() != nil {
		t.Fatal("the macros")
	}
}

func TestTrap02ThreeWaysToTimeOut(t *testing.T) {
	ia, _ := open(t, usual)
	e := evd(t, ia, 8, dat.EVDSoftwareFlag)
	var c dat.CNOHandle
	ok(t, dat.CNOCreate(ia, dat.OsWaitProxyAgentNull, &c))
	var ev dat.Event
	var more dat.Count
	hint := e
	want(t, dat.EVDWait(e, 0, 1, &ev, &more), dat.TimeoutExpired)
	want(t, dat.EVDWait(e, 1000, 1, &ev, &more), dat.TimeoutExpired)
	want(t, dat.CNOWait(c, 0, &hint), dat.QueueEmpty)
	if hint != dat.HandleNull {
		t.Fatal("a hint with QUEUE_EMPTY")
	}
	want(t, dat.CNOWait(c, 1000, &hint), dat.QueueEmpty)
	want(t, dat.EVDDequeue(e, &ev), dat.QueueEmpty)
}

func TestTrap03OneWaiter(t *testing.T) {
	ia, _ := open(t, usual)
	e := evd(t, ia, 8, dat.EVDSoftwareFlag)
	done := waiting(t, e, 1)
	var ev dat.Event
	var more dat.Count
	want(t, dat.EVDWait(e, 0, 1, &ev, &more), dat.InvalidState, dat.InvalidStateEVDWaiter)
	want(t, dat.EVDDequeue(e, &ev), dat.InvalidState, dat.InvalidStateEVDWaiter)
	want(t, dat.EVDResize(e, 16), dat.InvalidState, dat.InvalidStateEVDWaiter)
	software(t, e, 1)
	ok(t, <-done)
}

func TestTrap04ATimeoutLeavesEverything(t *testing.T) {
	ia, _ := open(t, usual)
	e := evd(t, ia, 8, dat.EVDSoftwareFlag)
	software(t, e, "a")
	software(t, e, "b")
	var ev dat.Event
	more := dat.Count(-1)
	want(t, dat.EVDWait(e, 1000, 3, &ev, &more), dat.TimeoutExpired)
	if more != 2 {
		t.Fatalf("nmore is %d", more)
	}
	ok(t, dat.EVDWait(e, 0, 2, &ev, &more))
	if ev.EventData.SoftwareEventData.Pointer != "a" || more != 1 {
		t.Fatalf("%v, nmore %d", ev.EventData.SoftwareEventData.Pointer, more)
	}
}

// attrWith makes attributes with these completion flags.
func attrWith(t *testing.T, recv, request dat.CompletionFlags) *dat.EPAttr {
	t.Helper()
	s := newSide(t, usual, nil)
	at := s.attr()
	at.RecvCompletionFlags, at.RequestCompletionFlags = recv, request
	return &at
}

func TestTrap05ThresholdAndUnsignalled(t *testing.T) {
	softOnly(t, "its time is not the test's")
	at := attrWith(t, dat.CompletionUnsignalledFlag, dat.CompletionUnsignalledFlag)
	synctest.Test(t, func(t *testing.T) { unsignalled(t, at) })
	// With SOLICITED, too, only 1 is legal.
	s := newSide(t, usual, attrWith(t, dat.CompletionSolicitedWaitFlag, dat.CompletionEVDThresholdFlag))
	var ev dat.Event
	var more dat.Count
	want(t, dat.EVDWait(s.recv, 0, 2, &ev, &more), dat.InvalidState, dat.InvalidStateEVDConfigSolicited)
}

func unsignalled(t *testing.T, at *dat.EPAttr) {
	a, b := newSide(t, usual, nil), newSide(t, usual, at)
	connect(a, b, usual)
	var ev dat.Event
	var more dat.Count
	write := func(f dat.CompletionFlags) {
		ok(t, dat.EPPostRDMAWrite(b.ep, 1, b.mem.iov(0, 8), num(1), a.mem.remote(0, 8), f))
		synctest.Wait() // another goroutine may carry it out, which has been at work on the connection
	}
	want(t, dat.EVDWait(b.req, 0, 2, &ev, &more), dat.InvalidState, dat.InvalidStateEVDConfigNotify)
	// Unsignalled completions count when a wait begins, but do not wake it.
	write(dat.CompletionUnsignalledFlag)
	ok(t, dat.EVDWait(b.req, 0, 1, &ev, &more))
	done := parked(b.req)
	write(dat.CompletionUnsignalledFlag)
	select {
	case ret := <-done:
		t.Fatal("an unsignalled completion has woken: ", ret)
	default:
	}
	write(0)
	ok(t, <-done)
	completion(t, b.req, dat.DTOSuccess) // and the other one has arrived
}

func TestTrap06ATriggerIsStickyAndSingle(t *testing.T) {
	ia, _ := open(t, usual)
	var c dat.CNOHandle
	ok(t, dat.CNOCreate(ia, dat.OsWaitProxyAgentNull, &c))
	var e1, e2, hint dat.EVDHandle
	ok(t, dat.EVDCreate(ia, 8, c, dat.EVDSoftwareFlag, &e1))
	ok(t, dat.EVDCreate(ia, 8, c, dat.EVDSoftwareFlag, &e2))
	software(t, e1, 1)
	software(t, e2, 2)
	ok(t, dat.CNOWait(c, 0, &hint)) // it stayed
	if hint != e1 {
		t.Fatalf("the hint is %#x, want the first", hint)
	}
	want(t, dat.CNOWait(c, 0, &hint), dat.QueueEmpty) // one trigger, not two
	var ev dat.Event
	ok(t, dat.EVDDequeue(e1, &ev))
	ok(t, dat.EVDDequeue(e2, &ev)) // the dispatcher that the hint did not name
	// One trigger wakes one waiter.
	woken := make(chan dat.EVDHandle, 2)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			var h dat.EVDHandle
			if dat.CNOWait(c, second, &h) == dat.Success {
				woken <- h
			}
		})
	}
	software(t, e2, 3)
	if h := <-woken; h != e2 {
		t.Fatalf("woken by %#x", h)
	}
	if len(woken) != 0 {
		t.Fatal("both were woken")
	}
	ok(t, dat.EVDDequeue(e2, &ev))
	software(t, e1, 4)
	if h := <-woken; h != e1 {
		t.Fatalf("woken by %#x", h)
	}
	wg.Wait()
}

func TestTrap07WhenTheNotificationIsSilent(t *testing.T) {
	ia, _ := open(t, usual)
	var c dat.CNOHandle
	ok(t, dat.CNOCreate(ia, dat.OsWaitProxyAgentNull, &c))
	var e, hint dat.EVDHandle
	ok(t, dat.EVDCreate(ia, 8, c, dat.EVDSoftwareFlag, &e))
	done := waiting(t, e, 1)
	software(t, e, 1)
	ok(t, <-done)
	want(t, dat.CNOWait(c, 0, &hint), dat.QueueEmpty) // a goroutine waited directly
	ok(t, dat.EVDDisable(e))
	software(t, e, 2)
	want(t, dat.CNOWait(c, 0, &hint), dat.QueueEmpty) // disabled
	ok(t, dat.EVDEnable(e))
	ok(t, dat.CNOWait(c, 0, &hint)) // and nothing is lost by that
	// Unsignalled completions.
	b := newSide(t, usual, attrWith(t, dat.CompletionEVDThresholdFlag, dat.CompletionUnsignalledFlag))
	a := newSide(t, usual, nil)
	connect(a, b, usual)
	var c2 dat.CNOHandle
	ok(t, dat.CNOCreate(b.ia, dat.OsWaitProxyAgentNull, &c2))
	ok(t, dat.EVDModifyCNO(b.req, c2))
	ok(t, dat.EPPostRDMAWrite(b.ep, 1, b.mem.iov(0, 8), num(1), a.mem.remote(0, 8), dat.CompletionUnsignalledFlag))
	want(t, dat.CNOWait(c2, 0, &hint), dat.QueueEmpty)
	ok(t, dat.EPPostRDMAWrite(b.ep, 1, b.mem.iov(0, 8), num(1), a.mem.remote(0, 8), 0))
	ok(t, dat.CNOWait(c2, second, &hint))
}

func TestTrap08AnAgentIsOneShot(t *testing.T) {
	ia, _ := open(t, usual)
	type call struct {
		data dat.Pvoid
		evd  dat.EVDHandle
	}
	calls := make(chan call, 8)
	agent := dat.OsWaitProxyAgent{InstanceData: "mine", ProxyAgentFunc: func(p dat.Pvoid, e dat.EVDHandle) { calls <- call{p, e} }}
	var c dat.CNOHandle
	ok(t, dat.CNOCreate(ia, agent, &c))
	var e dat.EVDHandle
	ok(t, dat.EVDCreate(ia, 8, c, dat.EVDSoftwareFlag, &e))
	software(t, e, 1)
	if got := <-calls; got != (call{"mine", e}) {
		t.Fatalf("called with %v", got)
	}
	var p dat.CNOParam
	ok(t, dat.CNOQuery(c, dat.CNOFieldAll, &p))
	if p.Agent.ProxyAgentFunc != nil {
		t.Fatal("it is attached still")
	}
	software(t, e, 2)
	// An agent that is attached to a triggered object is called, even without a waiter.
	ok(t, dat.CNOModifyAgent(c, agent))
	<-calls
	if len(calls) != 0 {
		t.Fatal("called without being attached")
	}
	var hint dat.EVDHandle
	ok(t, dat.CNOWait(c, 0, &hint)) // waiters get the trigger, too
	// An agent may make calls that do not block, also on its own object.
	var ev dat.Event
	ok(t, dat.EVDDequeue(e, &ev))
	ok(t, dat.EVDDequeue(e, &ev))
	done := make(chan dat.Return, 3)
	ok(t, dat.CNOModifyAgent(c, dat.OsWaitProxyAgent{ProxyAgentFunc: func(_ dat.Pvoid, e dat.EVDHandle) {
		var ev dat.Event
		done <- dat.EVDDequeue(e, &ev)
		done <- dat.CNOModifyAgent(c, dat.OsWaitProxyAgentNull)
		done <- dat.EVDPostSE(e, &dat.Event{EventNumber: dat.SoftwareEvent})
	}}))
	software(t, e, 3)
	for range 3 {
		ok(t, <-done)
	}
}

func TestTrap09AFullQueue(t *testing.T) {
	ia, async := open(t, usual)
	e := evd(t, ia, 2, dat.EVDSoftwareFlag)
	software(t, e, 1)
	software(t, e, 2)
	want(t, dat.EVDPostSE(e, &dat.Event{EventNumber: dat.SoftwareEvent}), dat.QueueFull)
	empty(t, async)
	// An event of the provider.
	a, b := pair(t, usual)
	var other dat.EPHandle
	small := evd(t, b.ia, 1, dat.EVDConnectionFlag|dat.EVDSoftwareFlag)
	software(t, small, 1)
	ok(t, dat.EPCreate(b.ia, b.pz, dat.HandleNull, dat.HandleNull, small, nil, &other))
	qual := service(usual)
	var psp dat.PSPHandle
	ok(t, dat.PSPCreate(a.ia, qual, a.cr, dat.PSPConsumerFlag, &psp))
	ok(t, dat.EPConnect(other, host(usual), qual, second, 0, nil, 0, 0))
	cr := expect(t, a.cr, dat.ConnectionRequestEvent).EventData.CRArrivalEventData.CRHandle
	ok(t, dat.CRReject(cr))
	ev := expect(t, b.async, dat.AsyncErrorEVDOverflow)
	if d := ev.EventData.AsynchErrorEventData; d.DatHandle != dat.Handle(small) || d.Reason != dat.EVDOverflowError {
		t.Fatalf("%+v, want the dispatcher", d)
	}
}

func TestTrap10PostingWhereItIsNotConnected(t *testing.T) {
	s := in(t, "D")
	ok(t, dat.EPPostSend(s.ep, 1, s.mem.iov(0, 8), num(9), 0))
	if c := completion(t, s.req, dat.DTOErrFlushed); c.UserCookie != num(9) {
		t.Fatal(c)
	}
	u := in(t, "U")
	want(t, dat.EPPostSend(u.ep, 1, u.mem.iov(0, 8), num(9), 0), dat.InvalidState, dat.InvalidStateEPUnconnected)
	ok(t, dat.EPPostRecv(u.ep, 1, u.mem.iov(0, 8), num(9), 0))
}

func TestTrap11SuppressHidesSuccessOnly(t *testing.T) {
	notIWARP(t, unacknowledged)
	a, b := pair(t, usual)
	at := b.attr()
	for i := range 5 * int(at.MaxRequestDTOS) { // the slots come back
		ok(t, room(func() dat.Return {
			return dat.EPPostRDMAWrite(b.ep, 1, b.mem.iov(0, 8), dat.Context{AsPtr: i}, a.mem.remote(0, 8), dat.CompletionSuppressFlag)
		}))
	}
	empty(t, b.req)
	bad := a.mem.remote(0, 8)
	bad.RMRContext++
	ok(t, room(func() dat.Return {
		return dat.EPPostRDMAWrite(b.ep, 1, b.mem.iov(0, 8), num(3), bad, dat.CompletionSuppressFlag)
	}))
	if c := completion(t, b.req, dat.DTOErrRemoteAccess); c.UserCookie != num(3) {
		t.Fatal(c)
	}
	expect(t, b.conn, dat.ConnectionEventBroken)
	ok(t, dat.EPPostSend(b.ep, 1, b.mem.iov(0, 8), num(4), dat.CompletionSuppressFlag))
	completion(t, b.req, dat.DTOErrFlushed)
}

func TestTrap12UnsignalledNeedsTheAttribute(t *testing.T) {
	a, b := pair(t, usual)
	to := a.mem.remote(0, 8)
	want(t, dat.EPPostRDMAWrite(b.ep, 1, b.mem.iov(0, 8), num(1), to, dat.CompletionUnsignalledFlag), dat.InvalidParameter, dat.InvalidArg6)
	want(t, dat.EPPostRecv(b.ep, 1, b.mem.iov(0, 8), num(1), dat.CompletionUnsignalledFlag), dat.InvalidParameter, dat.InvalidArg5)
	ok(t, dat.EPPostRDMAWrite(b.ep, 1, b.mem.iov(0, 8), num(1), to, dat.CompletionSuppressFlag))
	ok(t, dat.EPPostRDMAWrite(b.ep, 1, b.mem.iov(0, 8), num(1), to, dat.CompletionBarrierFenceFlag))
	completion(t, b.req, dat.DTOSuccess)
}

func TestTrap13Bind(t *testing.T) {
	needs(t, "windows", windows)
	a, b := pair(t, usual)
	var rmr dat.RMRHandle
	ok(t, dat.RMRCreate(a.pz, &rmr))
	bind := func(n int) (key dat.RMRContext) {
		tr := a.mem.iov(64, n)[0]
		ok(t, dat.RMRBind(rmr, &tr, dat.MemPrivAllFlag, a.ep, num(5), 0, &key))
		return key
	}
	bound := func() {
		ev := expect(t, a.req, dat.RMRBindCompletionEvent)
		if d := ev.EventData.RMRCompletionEventData; d.RMRHandle != rmr || d.UserCookie != num(5) || d.Status != dat.RMRBindSuccess {
			t.Fatalf("%+v", d)
		}
	}
	first := bind(64)
	bound()
	second := bind(32)
	bound()
	if first == 0 || second == 0 || first == second {
		t.Fatalf("contexts %#x and %#x", first, second)
	}
	var p dat.RMRParam
	ok(t, dat.RMRQuery(rmr, dat.RMRFieldAll, &p))
	if p.RMRContext != second || p.LMRTriplet.SegmentLength != 32 {
		t.Fatalf("%+v", p)
	}
	want(t, dat.LMRFree(a.mem.lmr), dat.InvalidState, dat.InvalidStateLMRInUse)
	to := a.mem.remote(64, 8)
	to.RMRContext = second
	ok(t, dat.EPPostRDMAWrite(b.ep, 1, b.mem.iov(0, 8), num(1), to, 0))
	completion(t, b.req, dat.DTOSuccess)
	bind(0) // unbinds
	bound()
	ok(t, dat.LMRFree(a.mem.lmr))
	ok(t, dat.EPPostRDMAWrite(b.ep, 1, b.mem.iov(0, 8), num(2), to, 0)) // the old key
	completion(t, b.req, dat.DTOErrRemoteAccess)
	expect(t, b.conn, dat.ConnectionEventBroken)
}

// A bind that opens nothing is a bind all the same: it has a context and a completion,
// holds the region, and ends the bind before it.
// TestABindNamesTheRightThatIsMissing: that of this side which a right of peers wants.
func TestABindNamesTheRightThatIsMissing(t *testing.T) {
	needs(t, "windows", windows)
	a, _ := pair(t, usual)
	var rmr dat.RMRHandle
	ok(t, dat.RMRCreate(a.pz, &rmr))
	for _, c := range []struct {
		has, asked dat.MemPrivFlags
		missing    dat.Return
	}{
		{dat.MemPrivLocalReadFlag, dat.MemPrivRemoteWriteFlag, dat.PrivilegesWrite},
		{dat.MemPrivLocalWriteFlag, dat.MemPrivRemoteReadFlag, dat.PrivilegesRead},
		{dat.MemPrivLocalReadFlag, dat.MemPrivAllFlag, dat.PrivilegesWrite},
	} {
		m := register(t, a.ia, a.pz, 64, c.has)
		want(t, dat.RMRBind(rmr, &m.iov(0, 8)[0], c.asked, a.ep, num(1), 0, nil), dat.PrivilegesViolation, c.missing)
	}
}

func TestBindWithoutRemotePrivileges(t *testing.T) {
	needs(t, "windows", windows)
	for _, priv := range []dat.MemPrivFlags{dat.MemPrivNoneFlag, dat.MemPrivLocalReadFlag | dat.MemPrivLocalWriteFlag} {
		a, b := pair(t, usual)
		var rmr dat.RMRHandle
		ok(t, dat.RMRCreate(a.pz, &rmr))
		tr := a.mem.iov(64, 64)[0]
		var open, key dat.RMRContext
		ok(t, dat.RMRBind(rmr, &tr, dat.MemPrivAllFlag, a.ep, num(4), 0, &open))
		expect(t, a.req, dat.RMRBindCompletionEvent)
		ok(t, dat.RMRBind(rmr, &tr, priv, a.ep, num(5), 0, &key))
		ev := expect(t, a.req, dat.RMRBindCompletionEvent)
		if d := ev.EventData.RMRCompletionEventData; d.RMRHandle != rmr || d.UserCookie != num(5) || d.Status != dat.RMRBindSuccess {
			t.Fatalf("%+v", d)
		}
		if key == 0 || key == open {
			t.Errorf("the contexts are %#x, and %#x before", key, open)
		}
		want(t, dat.LMRFree(a.mem.lmr), dat.InvalidState, dat.InvalidStateLMRInUse)
		to := a.mem.remote(64, 8)
		to.RMRContext = key
		ok(t, dat.EPPostRDMAWrite(b.ep, 1, b.mem.iov(0, 8), num(1), to, 0))
		expect(t, b.conn, dat.ConnectionEventBroken)
	}
}

func TestTrap14PrivilegesAndProtection(t *testing.T) {
	_, b := pair(t, usual)
	var pz dat.PZHandle
	ok(t, dat.PZCreate(b.ia, &pz))
	foreign := register(t, b.ia, pz, 64, allPriv)
	readOnly := register(t, b.ia, b.pz, 64, dat.MemPrivLocalReadFlag)
	want(t, dat.EPPostSend(b.ep, 1, foreign.iov(0, 8), num(1), 0), dat.ProtectionViolation, dat.ProtectionRead)
	want(t, dat.EPPostRecv(b.ep, 1, foreign.iov(0, 8), num(1), 0), dat.ProtectionViolation, dat.ProtectionWrite)
	want(t, dat.EPPostRecv(b.ep, 1, readOnly.iov(0, 8), num(1), 0), dat.PrivilegesViolation, dat.PrivilegesWrite)
	ok(t, dat.EPPostSend(b.ep, 1, readOnly.iov(0, 8), num(1), 0))
}

func TestTrap15ReceivesNeedLocalWrite(t *testing.T) {
	_, b := pair(t, usual)
	read := register(t, b.ia, b.pz, 64, dat.MemPrivLocalReadFlag|dat.MemPrivRemoteReadFlag)
	write := register(t, b.ia, b.pz, 64, dat.MemPrivLocalWriteFlag)
	want(t, dat.EPPostRecv(b.ep, 1, read.iov(0, 8), num(1), 0), dat.PrivilegesViolation)
	ok(t, dat.EPPostRecv(b.ep, 1, write.iov(0, 8), num(1), 0))
}
