package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestAReservedServicePointEndsItself: after its event a program need not free it, as the header of C says. It
// holds neither its dispatcher nor its adapter.
func TestAReservedServicePointEndsItself(t *testing.T) {
	paths(t, func(t *testing.T, name string) {
		active := newSide(t, name, nil)
		for range rounds(50, 2) {
			passive := newSide(t, name, nil)
			var rsp dat.RSPHandle
			qual := service(name)
			ok(t, dat.RSPCreate(passive.ia, qual, passive.ep, passive.cr, &rsp))
			want(t, dat.EVDFree(passive.cr), dat.InvalidState, dat.InvalidStateEVDInUse)
			ok(t, dat.EPConnect(active.ep, host(name), qual, second, 0, nil, 0, 0))
			ok(t, dat.CRReject(expect(t, passive.cr, dat.ConnectionRequestEvent).EventData.CRArrivalEventData.CRHandle))
			ok(t, dat.EVDFree(passive.cr))
			closeAll(t, passive)
			want(t, dat.RSPFree(rsp), dat.InvalidHandle)
			next(t, active.conn)
			ok(t, dat.EPReset(active.ep))
		}
	})
}

// TestAnEndedReservedServicePointLeavesItsQualifier: behind its event the qualifier is free, also for another open of
// the adapter.
func TestAnEndedReservedServicePointLeavesItsQualifier(t *testing.T) {
	paths(t, func(t *testing.T, name string) {
		for range rounds(100, 2) {
			passive, active := newSide(t, name, nil), newSide(t, name, nil)
			var rsp dat.RSPHandle
			var psp dat.PSPHandle
			qual := service(name)
			ok(t, dat.RSPCreate(passive.ia, qual, passive.ep, passive.cr, &rsp))
			ok(t, dat.EPConnect(active.ep, host(name), qual, second, 0, nil, 0, 0))
			var ev dat.Event
			for ret := dat.EVDDequeue(passive.cr, &ev); ret != dat.Success; ret = dat.EVDDequeue(passive.cr, &ev) {
				want(t, ret, dat.QueueEmpty) // no wait: the service point may still be leaving
			}
			ok(t, dat.PSPCreate(active.ia, qual, active.cr, dat.PSPConsumerFlag, &psp))
			ok(t, dat.IAClose(passive.ia, dat.CloseAbruptFlag))
			ok(t, dat.IAClose(active.ia, dat.CloseAbruptFlag))
		}
	})
}

// closeAll frees what a side has, but for its dispatcher of requests, and closes its adapter gracefully.
func closeAll(t *testing.T, s *side) {
	t.Helper()
	ok(t, dat.EPFree(s.ep))
	for _, h := range []dat.EVDHandle{s.recv, s.req, s.conn} {
		ok(t, dat.EVDFree(h))
	}
	ok(t, dat.LMRFree(s.mem.lmr))
	ok(t, dat.PZFree(s.pz))
	ok(t, dat.IAClose(s.ia, dat.CloseGracefulFlag))
}
