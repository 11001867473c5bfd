package dat_test

import (
	"reflect"
	"runtime"
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// atOnce is how many events the tests take at a time.
const atOnce = 8

// writes posts n writes of 8 bytes with the cookies from first on. Within the process they
// are complete then, or very soon: another goroutine may be at the endpoint just then.
func writes(t testing.TB, to, from *side, first, n int) {
	t.Helper()
	for i := range n {
		ok(t, dat.EPPostRDMAWrite(from.ep, 1, from.mem.iov(0, 8), num(uint64(first+i)), to.mem.remote(0, 8), 0))
	}
}

// take takes n events, which are on their way. Those that came before the last go back.
func take(t testing.TB, a *dat.Ahead, n int) {
	t.Helper()
	for {
		got, _, ret := a.Take()
		switch {
		case got == n:
			return
		case got > n:
			t.Fatalf("took %d events, want %d", got, n)
		case got == 0:
			want(t, ret, dat.QueueEmpty)
		default:
			a.PutBack(0)
		}
		runtime.Gosched()
	}
}

// took takes n events ahead and compares their cookies.
func took(t testing.TB, a *dat.Ahead, s *side, first, n int) {
	t.Helper()
	take(t, a, n)
	for i := range n {
		var ev dat.Event
		a.Event(i, &ev)
		d := ev.EventData.DTOCompletionEventData
		if ev.EventNumber != dat.DTOCompletionEvent || ev.EVDHandle != s.req || d.EPHandle != s.ep || d.UserCookie.As64 != uint64(first+i) ||
			d.Status != dat.DTOSuccess || d.TransferedLength != 8 || d.Operation != dat.DTORDMAWrite {
			t.Fatalf("event %d is %+v", i, ev)
		}
	}
}

// dequeued takes the events one by one, as they come, and compares their cookies.
func dequeued(t testing.TB, h dat.EVDHandle, cookies ...uint64) {
	t.Helper()
	for _, c := range cookies {
		var ev dat.Event
		for ret := dat.EVDDequeue(h, &ev); ret != dat.Success; ret = dat.EVDDequeue(h, &ev) {
			want(t, ret, dat.QueueEmpty)
			runtime.Gosched()
		}
		if got := ev.EventData.DTOCompletionEventData.UserCookie.As64; got != c {
			t.Fatalf("dequeued %d, want %d", got, c)
		}
	}
	empty(t, h)
}

// ahead connects two sides, and takes from the requests of the active one.
func ahead(t *testing.T) (passive, active *side, a *dat.Ahead) {
	t.Helper()
	passive, active = pair(t, usual)
	return passive, active, dat.EVDAhead(active.req, atOnce)
}

func TestAheadTakesAndPutsBack(t *testing.T) {
	softOnly(t, "it tells of nothing without a poll")
	passive, active := pair(t, usual)
	a := dat.EVDAhead(active.req, atOnce)
	if a.Ready() {
		t.Fatal("ready with nothing there")
	}
	_, _, ret := a.Take()
	want(t, ret, dat.QueueEmpty)
	writes(t, passive, active, 1, 3)
	for !a.Ready() { // without polling
		runtime.Gosched()
	}
	took(t, a, active, 1, 3)
	if a.Ready() {
		t.Fatal("ready with nothing left")
	}
	writes(t, passive, active, 4, 1)
	a.PutBack(1)
	dequeued(t, active.req, 2, 3, 4)
	a.PutBack(1) // there is nothing to put back any more
	empty(t, active.req)
}

// More than it takes at once stays in the queue, and is told of as far as it is known.
func TestAheadTakesNoMoreThanWasAskedFor(t *testing.T) {
	passive, active, a := ahead(t)
	const n = atOnce
	writes(t, passive, active, 0, n)
	took(t, a, active, 0, n)
	writes(t, passive, active, n, 2)
	a.PutBack(0)
	var ev dat.Event
	var more dat.Count
	ok(t, dat.EVDWait(active.req, 0, 2, &ev, &more)) // the count includes the events that were put back
	if ev.EventData.DTOCompletionEventData.UserCookie.As64 != 0 || int(more) < n-1 {
		t.Fatalf("cookie %d and %d more", ev.EventData.DTOCompletionEventData.UserCookie.As64, more)
	}
	took(t, a, active, 1, n)
	dequeued(t, active.req, uint64(n+1))
}

func TestAheadIsCountedByAWait(t *testing.T) {
	passive, active, a := ahead(t)
	writes(t, passive, active, 0, 3)
	took(t, a, active, 0, 3)
	a.PutBack(0)
	var ev dat.Event
	var more dat.Count
	ok(t, dat.EVDWait(active.req, 0, 3, &ev, &more))
	if more != 2 {
		t.Fatalf("%d more, want 2", more)
	}
	want(t, dat.EVDResize(active.req, 1), dat.InvalidState, dat.InvalidStateEVDInUse)
	dequeued(t, active.req, 1, 2)
	ok(t, dat.EVDResize(active.req, 2))
	a.Refit()
	writes(t, passive, active, 3, 2)
	took(t, a, active, 3, 2)
}

// A notification object that is attached to a queue with events is triggered, also by
// events that were put back.
func TestAheadTriggersWhenPutBack(t *testing.T) {
	passive, active, a := ahead(t)
	writes(t, passive, active, 0, 1)
	took(t, a, active, 0, 1)
	var cno dat.CNOHandle
	var who dat.EVDHandle
	ok(t, dat.CNOCreate(active.ia, dat.OsWaitProxyAgentNull, &cno))
	a.PutBack(0)
	ok(t, dat.EVDModifyCNO(active.req, cno))
	ok(t, dat.CNOWait(cno, 0, &who))
	if who != active.req {
		t.Fatalf("%#x triggered, want %#x", who, active.req)
	}
	dequeued(t, active.req, 0)
}

func TestAheadIsRefusedWhileSomebodyWaits(t *testing.T) {
	passive, active := pair(t, usual)
	a := dat.EVDAhead(active.req, atOnce)
	got := make(chan uint64)
	go func() {
		var ev dat.Event
		var more dat.Count
		if dat.EVDWait(active.req, second, 1, &ev, &more) != dat.Success {
			close(got)
			return
		}
		got <- ev.EventData.DTOCompletionEventData.UserCookie.As64
	}()
	for {
		if _, _, ret := a.Take(); ret.Type() == dat.InvalidState {
			break
		}
	}
	writes(t, passive, active, 7, 1)
	if c, waited := <-got; c != 7 || !waited {
		t.Fatal("the wait got ", c)
	}
}

func TestAheadIsForCompletions(t *testing.T) {
	s := newSide(t, usual, nil)
	for _, flags := range []dat.EVDFlags{dat.EVDSoftwareFlag, dat.EVDConnectionFlag, dat.EVDCRFlag, dat.EVDDTOFlag | dat.EVDConnectionFlag,
		dat.EVDDTOFlag | dat.EVDSoftwareFlag} {
		if dat.EVDAhead(evd(t, s.ia, 4, flags), atOnce) != nil {
			t.Errorf("there is one for %#x", flags)
		}
	}
	if dat.EVDAhead(s.async, atOnce) != nil || dat.EVDAhead(dat.HandleNull, atOnce) != nil || dat.EVDAhead(s.req, 0) != nil || dat.EVDAhead(s.req, -1) != nil {
		t.Error("there is one for asynchronous errors, or for no dispatcher")
	}
	h := evd(t, s.ia, 4, dat.EVDDTOFlag)
	a := dat.EVDAhead(h, atOnce)
	ok(t, dat.EVDFree(h))
	_, _, ret := a.Take()
	want(t, ret, dat.InvalidHandle)
	a.PutBack(0)
}

// Binds and atomics are as they were when they come out a second time.
func TestAheadKeepsWhatEventsAre(t *testing.T) {
	needs(t, "windows", windows)
	needs(t, "atomic operations", atomics)
	passive, active, a := ahead(t)
	var rmr dat.RMRHandle
	var key dat.RMRContext
	ok(t, dat.RMRCreate(active.pz, &rmr))
	ok(t, dat.RMRBind(rmr, &active.mem.iov(0, 64)[0], dat.MemPrivRemoteReadFlag, active.ep, num(5), 0, &key))
	ok(t, dat.IBPostFetchAndAdd(active.ep, 1, &active.mem.iov(0, 8)[0], num(6), passive.mem.remote(0, 8), 0))
	var first, again [2]dat.Event
	for _, to := range []*[2]dat.Event{&first, &again} {
		take(t, a, 2)
		a.Event(0, &to[0])
		a.Event(1, &to[1])
		a.PutBack(0)
	}
	if !reflect.DeepEqual(first, again) {
		t.Fatalf("%+v, and then %+v", first, again)
	}
	if b := first[0]; b.EventNumber != dat.RMRBindCompletionEvent || b.EventData.RMRCompletionEventData.RMRHandle != rmr ||
		first[1].EventNumber != dat.IBDTOEvent || first[1].EventExtensionData.Type != dat.IBFetchAndAdd {
		t.Fatalf("%+v", first)
	}
}

func TestAheadAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes pools forget")
	}
	passive, active := pair(t, usual)
	a := dat.EVDAhead(active.req, atOnce)
	iov, to := active.mem.iov(0, 8), passive.mem.remote(0, 8)
	var ev dat.Event
	if n := testing.AllocsPerRun(200, func() {
		ok(t, dat.EPPostRDMAWrite(active.ep, 1, iov, num(1), to, 0))
		take(t, a, 1)
		a.Event(0, &ev)
		a.PutBack(0)
		a.Take()
	}); n != 0 {
		t.Errorf("it allocates %.1f times", n)
	}
}
