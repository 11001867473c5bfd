package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestARevokedWindowIsUnbound: a key that the peer has revoked is no key of the window any more, neither in RMRQuery
// nor as the place for a read, and the next bind makes another one.
func TestARevokedWindowIsUnbound(t *testing.T) {
	needs(t, "windows", windows)
	paths(t, func(t *testing.T, name string) {
		passive, active := pair(t, name)
		var w dat.RMRHandle
		ok(t, dat.RMRCreateForEP(passive.pz, &w))
		place := passive.mem.iov(0, 64)
		for i := range 3 {
			var key dat.RMRContext
			ok(t, dat.RMRBind(w, &place[0], dat.MemPrivRemoteWriteFlag, passive.ep, num(1), 0, &key))
			expect(t, passive.req, dat.RMRBindCompletionEvent)
			local := dat.RMRTriplet{RMRContext: key, TargetAddress: dat.VaddrOf(passive.mem.b), SegmentLength: 8}
			read := func() dat.Return {
				return dat.EPPostRDMAReadToRMR(passive.ep, &local, num(2), active.mem.remote(0, 8), 0)
			}
			bound := func(want dat.RMRContext) {
				t.Helper()
				var p dat.RMRParam
				if ok(t, dat.RMRQuery(w, dat.RMRFieldAll, &p)); p.RMRContext != want || (p.LMRTriplet.SegmentLength > 0) != (want != 0) || p.RMRScope != dat.RMRScopeEP {
					t.Fatalf("%+v, want key %#x", p, want)
				}
			}
			bound(key)
			ok(t, read())
			completion(t, passive.req, dat.DTOSuccess)
			if i == 2 {
				ok(t, dat.RMRFree(w))
			} else {
				ok(t, dat.EPPostRecv(passive.ep, 1, passive.mem.iov(512, 8), num(3), 0))
				ok(t, dat.EPPostSendWithInvalidate(active.ep, 1, active.mem.iov(0, 8), num(4), 0, true, key))
				completion(t, passive.recv, dat.DTOSuccess)
				bound(0)
			}
			want(t, read(), dat.PrivilegesViolation)
		}
	})
}
