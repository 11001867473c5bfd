package dat_test

import (
	"sync"
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestAReservedEndpointIsNotFreed: an endpoint that is freed and reserved at the same time is one of the two. A
// service point with a freed endpoint would get a request that nobody can accept.
func TestAReservedEndpointIsNotFreed(t *testing.T) {
	s := newSide(t, usual, nil)
	ok(t, dat.EPFree(s.ep))
	for range rounds(3000, 50) {
		ok(t, dat.EPCreate(s.ia, s.pz, s.recv, s.req, s.conn, nil, &s.ep))
		var rsp dat.RSPHandle
		var reserved, freed dat.Return
		qual := service(usual)
		var all sync.WaitGroup
		all.Go(func() { reserved = dat.RSPCreate(s.ia, qual, s.ep, s.cr, &rsp) })
		all.Go(func() { freed = dat.EPFree(s.ep) })
		all.Wait()
		switch {
		case reserved == dat.Success && freed == dat.Success:
			t.Fatal("a service point has a freed endpoint")
		case reserved == dat.Success:
			want(t, freed, dat.InvalidState, dat.InvalidStateEPReserved)
			ok(t, dat.RSPFree(rsp))
			ok(t, dat.EPFree(s.ep))
		default:
			want(t, reserved, dat.InvalidHandle, dat.InvalidHandleEP)
			ok(t, freed)
		}
	}
}

// TestAFreedEndpointFeedsNothing: an endpoint that is modified and freed at the same time leaves neither its former
// dispatchers nor the new ones in use.
func TestAFreedEndpointFeedsNothing(t *testing.T) {
	s := newSide(t, usual, nil)
	ok(t, dat.EPFree(s.ep))
	for range rounds(3000, 50) {
		former, later := evd(t, s.ia, 64, dat.EVDDTOFlag), evd(t, s.ia, 64, dat.EVDDTOFlag)
		ok(t, dat.EPCreate(s.ia, s.pz, former, s.req, s.conn, nil, &s.ep))
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				for _, to := range []dat.EVDHandle{later, former, later} {
					p := dat.EPParam{RecvEVDHandle: to}
					dat.EPModify(s.ep, dat.EPFieldRecvEVDHandle, &p)
				}
			})
		}
		all.Go(func() { dat.EPFree(s.ep) })
		all.Wait()
		ok(t, dat.EVDFree(former))
		ok(t, dat.EVDFree(later))
	}
}
