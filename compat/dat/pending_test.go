package dat_test

import (
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// With the flag down a program need not ask; an event puts it up.
func TestPendingTellsOfEvents(t *testing.T) {
	ia, _ := open(t, "soft-loop")
	h := evd(t, ia, 4, dat.EVDSoftwareFlag)
	var flag atomic.Uint32
	ok(t, dat.EVDPending(h, &flag))
	var ev dat.Event
	want(t, dat.EVDDequeue(h, &ev), dat.QueueEmpty)
	if flag.Load() != 0 {
		t.Fatal("nothing is there, and the flag is up")
	}
	ok(t, dat.EVDPostSE(h, &dat.Event{EventNumber: dat.SoftwareEvent}))
	if flag.Load() == 0 {
		t.Fatal("an event, and no flag")
	}
	ok(t, dat.EVDDequeue(h, &ev))
	want(t, dat.EVDDequeue(h, &ev), dat.QueueEmpty)
	ok(t, dat.EVDFree(h))
	if flag.Load() == 0 {
		t.Fatal("whoever spins on the flag never learns that the dispatcher is gone")
	}
	want(t, dat.EVDPending(h, &flag), dat.InvalidHandle)
}

// Programs that open an adapter several times have one dispatcher for the connection
// events of all.
func TestConnectionEventsGoToAnotherOpen(t *testing.T) {
	one, _ := open(t, "soft-loop")
	two, _ := open(t, "soft-loop")
	other, _ := open(t, "soft-tcp")
	conn, dto := evd(t, one, 4, dat.EVDConnectionFlag), evd(t, one, 4, dat.EVDDTOFlag)
	var ep dat.EPHandle
	ok(t, dat.EPCreate(two, dat.HandleNull, dat.HandleNull, dat.HandleNull, conn, nil, &ep))
	want(t, dat.EVDFree(conn), dat.InvalidState, dat.InvalidStateEVDInUse)
	ok(t, dat.EPFree(ep))
	ok(t, dat.EVDFree(conn))
	conn = evd(t, one, 4, dat.EVDConnectionFlag)
	want(t, dat.EPCreate(two, dat.HandleNull, dto, dat.HandleNull, conn, nil, &ep), dat.InvalidHandle, dat.InvalidHandleEVDRecv)
	want(t, dat.EPCreate(other, dat.HandleNull, dat.HandleNull, dat.HandleNull, conn, nil, &ep), dat.InvalidHandle, dat.InvalidHandleEVDConn)
}

// A qualifier of more than 16 bits is offered once, whatever the path and the open.
func TestWideQualifiersAreTakenOnce(t *testing.T) {
	for _, name := range []string{"soft-loop", "soft-tcp", "soft"} {
		one, _ := open(t, name)
		two, _ := open(t, name)
		const qual = 0x123456789ab
		var psp, other dat.PSPHandle
		var rsp dat.RSPHandle
		cr := evd(t, one, 4, dat.EVDCRFlag)
		ok(t, dat.PSPCreate(one, qual, cr, dat.PSPConsumerFlag, &psp))
		want(t, dat.PSPCreate(one, qual, cr, dat.PSPConsumerFlag, &other), dat.ConnQualInUse)
		want(t, dat.RSPCreate(two, qual, dat.HandleNull, evd(t, two, 4, dat.EVDCRFlag), &rsp), dat.ConnQualInUse)
		ok(t, dat.PSPFree(psp))
		ok(t, dat.PSPCreate(two, qual, evd(t, two, 4, dat.EVDCRFlag), dat.PSPConsumerFlag, &psp))
		ok(t, dat.PSPFree(psp))
	}
}
