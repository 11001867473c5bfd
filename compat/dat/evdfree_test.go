package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestFreeingRejectsQueuedRequests: nobody can answer a request whose event is freed with its
// dispatcher. The peer is told at once, and the endpoint that came with the request is free again. A
// request whose event was taken stays.
func TestFreeingRejectsQueuedRequests(t *testing.T) {
	for _, kind := range []string{"consumer", "provider", "reserved"} {
		t.Run(kind, func(t *testing.T) {
			paths(t, func(t *testing.T, name string) {
				passive := newSide(t, name, nil)
				taken, lost := newSide(t, name, nil), newSide(t, name, nil)
				ask := func(from *side, qual dat.ConnQual) {
					ok(t, dat.EPConnect(from.ep, host(name), qual, dat.TimeoutInfinite, 0, nil, dat.QOSBestEffort, dat.ConnectDefaultFlag))
				}
				var psp dat.PSPHandle
				var rsp dat.RSPHandle
				qual, flags := service(name), dat.PSPConsumerFlag
				if kind == "provider" {
					flags = dat.PSPProviderFlag
				}
				ok(t, dat.PSPCreate(passive.ia, qual, passive.cr, flags, &psp))
				ask(taken, qual)
				cr := expect(t, passive.cr, dat.ConnectionRequestEvent).EventData.CRArrivalEventData.CRHandle
				if kind == "reserved" {
					qual = service(name)
					ok(t, dat.RSPCreate(passive.ia, qual, passive.ep, passive.cr, &rsp))
				}
				ask(lost, qual)
				queued(t, passive.cr, 1)
				ok(t, dat.PSPFree(psp))
				if rsp != 0 {
					ok(t, dat.RSPFree(rsp))
				}
				ok(t, dat.EVDFree(passive.cr))
				ev := next(t, lost.conn)
				if ev.EventNumber != dat.ConnectionEventPeerRejected && !(iwarp() && ev.EventNumber == dat.ConnectionEventNonPeerRejected) {
					t.Errorf("event %#x, want PEER_REJECTED", ev.EventNumber)
				}
				empty(t, taken.conn)
				ok(t, dat.CRReject(cr))
				closeAll(t, passive)
			})
		})
	}
}
