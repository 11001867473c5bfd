package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestWideQualifier connects by a qualifier of more bits than a device has for
// services. Both sides are told the qualifier, and not where it is on the wire.
func TestWideQualifier(t *testing.T) {
	const qual = dat.ConnQual(0x0AFFAB1E_00001234)
	passive, active := newSide(t, usual, nil), newSide(t, usual, nil)
	var psp dat.PSPHandle
	ok(t, dat.PSPCreate(passive.ia, qual, passive.cr, dat.PSPConsumerFlag, &psp))
	var other dat.PSPHandle
	want(t, dat.PSPCreate(passive.ia, qual, passive.cr, dat.PSPConsumerFlag, &other), dat.ConnQualInUse)
	if onDevice() { // a qualifier that shares its service
		want(t, dat.PSPCreate(passive.ia, qual+32001, passive.cr, dat.PSPConsumerFlag, &other), dat.ConnQualInUse)
	}
	var point dat.PSPParam
	ok(t, dat.PSPQuery(psp, dat.PSPFieldAll, &point))
	ok(t, dat.EPConnect(active.ep, host(""), qual, second, 0, nil, dat.QOSBestEffort, dat.ConnectDefaultFlag))
	arrival := expect(t, passive.cr, dat.ConnectionRequestEvent).EventData.CRArrivalEventData
	if arrival.ConnQual != qual || point.ConnQual != qual {
		t.Errorf("the request came to %#x, the service point is %#x, want %#x", arrival.ConnQual, point.ConnQual, qual)
	}
	ok(t, dat.CRAccept(arrival.CRHandle, passive.ep, 0, nil))
	expect(t, passive.conn, dat.ConnectionEventEstablished)
	expect(t, active.conn, dat.ConnectionEventEstablished)
	var p dat.EPParam
	ok(t, dat.EPQuery(active.ep, dat.EPFieldAll, &p))
	if p.RemotePortQual != dat.PortQual(qual) {
		t.Errorf("the peer is at %#x, want %#x", p.RemotePortQual, qual)
	}
	ok(t, dat.PSPFree(psp))
	ok(t, dat.PSPCreate(passive.ia, qual, passive.cr, dat.PSPConsumerFlag, &psp))
	ok(t, dat.PSPFree(psp))
}
