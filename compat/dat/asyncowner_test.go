package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestTheDispatcherOfAClosedAdapter: an open that has got the dispatcher of another one leaves its errors to a third, when
// that dispatcher has ended with its adapter.
func TestTheDispatcherOfAClosedAdapter(t *testing.T) {
	owner, async := open(t, usual)
	third, others := open(t, usual)
	given := async
	var ia dat.IAHandle
	ok(t, dat.IAOpen(usual, 8, &given, &ia))
	defer dat.IAClose(ia, dat.CloseAbruptFlag)
	has := func(want dat.EVDHandle) {
		t.Helper()
		var h dat.EVDHandle
		ok(t, dat.IAQuery(ia, &h, 0, nil, 0, nil))
		if h != want {
			t.Fatalf("the dispatcher of errors is %#x, want %#x", h, want)
		}
	}
	lose := func() dat.EVDHandle {
		small := evd(t, ia, 1, dat.EVDSoftwareFlag|dat.EVDConnectionFlag)
		ok(t, dat.EVDPostSE(small, &dat.Event{EventNumber: dat.SoftwareEvent}))
		lost(t, ia, small)
		return small
	}
	has(async)
	small := lose()
	if ev := expect(t, async, dat.AsyncErrorEVDOverflow); ev.EventData.AsynchErrorEventData.DatHandle != dat.Handle(small) {
		t.Fatalf("%+v", ev.EventData.AsynchErrorEventData)
	}
	ok(t, dat.IAClose(owner, dat.CloseGracefulFlag))
	has(dat.EVDOutOfScope)
	small = lose()
	if ev := expect(t, others, dat.AsyncErrorEVDOverflow); ev.EventData.AsynchErrorEventData.DatHandle != dat.Handle(small) {
		t.Fatalf("%+v", ev.EventData.AsynchErrorEventData)
	}
	ok(t, dat.IAClose(third, dat.CloseGracefulFlag))
	lose() // nobody hears of it
}

// lost has a connection event of the adapter find no room in a dispatcher.
func lost(t *testing.T, ia dat.IAHandle, conn dat.EVDHandle) {
	t.Helper()
	var pz dat.PZHandle
	var ep dat.EPHandle
	ok(t, dat.PZCreate(ia, &pz))
	ok(t, dat.EPCreate(ia, pz, dat.HandleNull, dat.HandleNull, conn, nil, &ep))
	ok(t, dat.EPConnect(ep, host(""), service(""), second, 0, nil, 0, 0)) // nobody listens
	for st := dat.EPStateActiveConnectionPending; st != dat.EPStateDisconnected; {
		ok(t, dat.EPGetStatus(ep, &st, nil, nil))
	}
}
