package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestALocalPortIsKnownBeforeTheConnection: the passive side's is that of the request, from its arrival on.
func TestALocalPortIsKnownBeforeTheConnection(t *testing.T) {
	paths(t, func(t *testing.T, name string) {
		passive, active := newSide(t, name, nil), newSide(t, name, nil)
		qual := service(name)
		is := func(state dat.EPState, local dat.ConnQual) {
			t.Helper()
			var p dat.EPParam
			ok(t, dat.EPQuery(passive.ep, dat.EPFieldAll, &p))
			if p.EPState != state || p.LocalPortQual != dat.PortQual(local) {
				t.Fatalf("%v at %d, want %v at %d", p.EPState, p.LocalPortQual, state, local)
			}
		}
		var rsp dat.RSPHandle
		ok(t, dat.RSPCreate(passive.ia, qual, passive.ep, passive.cr, &rsp))
		is(dat.EPStateReserved, 0)
		ok(t, dat.EPConnect(active.ep, host(name), qual, second, 0, nil, dat.QOSBestEffort, dat.ConnectDefaultFlag))
		cr := expect(t, passive.cr, dat.ConnectionRequestEvent).EventData.CRArrivalEventData.CRHandle
		is(dat.EPStatePassiveConnectionPending, qual)
		ok(t, dat.CRAccept(cr, dat.HandleNull, 0, nil))
		expect(t, passive.conn, dat.ConnectionEventEstablished)
		is(dat.EPStateConnected, qual)
	})
}
