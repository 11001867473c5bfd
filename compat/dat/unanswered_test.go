package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestAnUnansweredRequestIsTheProviders: it does not keep an adapter from a graceful close, whether or not it has
// brought an endpoint. The peer is refused.
func TestAnUnansweredRequestIsTheProviders(t *testing.T) {
	for _, flags := range []dat.PSPFlags{dat.PSPConsumerFlag, dat.PSPProviderFlag} {
		paths(t, func(t *testing.T, name string) {
			active := newSide(t, name, nil)
			ia, _ := open(t, name)
			cr := evd(t, ia, 4, dat.EVDCRFlag)
			var psp dat.PSPHandle
			qual := service(name)
			ok(t, dat.PSPCreate(ia, qual, cr, flags, &psp))
			ok(t, dat.EPConnect(active.ep, host(name), qual, second, 0, nil, 0, 0))
			expect(t, cr, dat.ConnectionRequestEvent)
			ok(t, dat.PSPFree(psp))
			ok(t, dat.EVDFree(cr))
			ok(t, dat.IAClose(ia, dat.CloseGracefulFlag))
			if ev := next(t, active.conn); ev.EventNumber == dat.ConnectionEventEstablished || ev.EventNumber == dat.ConnectionEventTimedOut {
				t.Errorf("event %#x", ev.EventNumber)
			}
		})
	}
}
