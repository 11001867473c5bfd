package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestAFlushedBindOutlivesItsEndpoint: the event of a suppressed bind that was flushed, on the bind dispatcher of 1.0,
// names the window and has the cookie, also when it is taken after the endpoint was freed.
func TestAFlushedBindOutlivesItsEndpoint(t *testing.T) {
	needs(t, "windows", windows)
	for _, request := range []string{"requests", "no requests"} {
		t.Run(request, func(t *testing.T) {
			a, b := newSide(t, usual, nil), newSide(t, usual, nil)
			if request == "no requests" {
				a.req = dat.HandleNull
			}
			binds := evd(t, a.ia, 16, dat.EVDRMRBindFlag)
			ok(t, dat.EPFree(a.ep))
			ok(t, dat.EPCreate10(a.ia, a.pz, a.recv, a.req, a.conn, binds, nil, &a.ep))
			connect(a, b, usual)
			ok(t, dat.EPDisconnect(a.ep, dat.CloseAbruptFlag))
			expect(t, a.conn, dat.ConnectionEventDisconnected)
			var window dat.RMRHandle
			ok(t, dat.RMRCreate(a.pz, &window))
			ok(t, dat.RMRBind(window, &a.mem.iov(0, 8)[0], dat.MemPrivAllFlag, a.ep, num(7), dat.CompletionSuppressFlag, nil))
			ok(t, dat.EPFree(a.ep))
			d := expect(t, binds, dat.RMRBindCompletionEvent).EventData.RMRCompletionEventData
			if d.RMRHandle != window || d.UserCookie != num(7) || d.Status != dat.DTOErrFlushed {
				t.Fatalf("%+v, want the window %#x", d, window)
			}
		})
	}
}
