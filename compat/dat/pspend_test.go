package dat_test

import (
	"runtime"
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestAServicePointThatEndsRefuses: a request in flight when a service point is freed ends as one of two things: it
// becomes an event, or it is refused as if nobody listened. Over iWARP a third way is left: Linux drops, without an
// answer, a request that its connection manager has not yet handed on when the listener goes.
func TestAServicePointThatEndsRefuses(t *testing.T) {
	paths(t, func(t *testing.T, name string) {
		limit, dropped := second, name == usual && iwarp()
		if dropped {
			limit /= 4 // ends before the wait for the event does
		}
		passive := newSide(t, name, nil)
		var active []*side
		for range 3 {
			active = append(active, newSide(t, name, nil))
		}
		for i := range rounds(200, 5) {
			cr := evd(t, passive.ia, 8, dat.EVDCRFlag)
			var psp dat.PSPHandle
			qual := service(name)
			ok(t, dat.PSPCreate(passive.ia, qual, cr, dat.PSPConsumerFlag, &psp))
			for _, s := range active {
				ok(t, dat.EPConnect(s.ep, host(name), qual, limit, 0, nil, 0, 0))
			}
			for range i % 40 {
				runtime.Gosched()
			}
			ok(t, dat.PSPFree(psp))
			ok(t, dat.EVDFree(cr))
			for _, s := range active {
				switch ev := next(t, s.conn); ev.EventNumber {
				case dat.ConnectionEventPeerRejected, dat.ConnectionEventNonPeerRejected:
				case dat.ConnectionEventTimedOut:
					if !dropped {
						t.Fatalf("round %d: no answer", i)
					}
				default:
					t.Fatalf("round %d: event %v", i, ev.EventNumber)
				}
				ok(t, dat.EPReset(s.ep))
			}
		}
	})
}
