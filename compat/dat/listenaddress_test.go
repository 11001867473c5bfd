package dat_test

import (
	"errors"
	"io/fs"
	"net"
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestListeningAtAForeignAddress: a provider whose address is not of this host opens, and cannot listen. The error is about the
// address, and not about an argument of the call, which are all right.
func TestListeningAtAForeignAddress(t *testing.T) {
	const foreign = "203.0.113.1" // for documents: no host has it
	p := &dat.Provider{DeviceName: "soft-tcp", Address: foreign}
	info := &dat.ProviderInfo{IAName: "foreign", DaplVersionMajor: 1, DaplVersionMinor: 2}
	ok(t, dat.RegistryAddProvider(p, info))
	t.Cleanup(func() { ok(t, dat.RegistryRemoveProvider(p, info)) })
	s := newSide(t, "foreign", nil)
	refused := func(ret dat.Return) {
		t.Helper()
		want(t, ret, dat.InvalidAddress, dat.InvalidAddressUnreachable)
	}
	var psp dat.PSPHandle
	var rsp dat.RSPHandle
	var csp dat.CSPHandle
	var qual dat.ConnQual
	refused(dat.PSPCreate(s.ia, 4000, s.cr, dat.PSPConsumerFlag, &psp))
	refused(dat.PSPCreateAny(s.ia, &qual, s.cr, dat.PSPConsumerFlag, &psp))
	refused(dat.RSPCreate(s.ia, 4000, s.ep, s.cr, &rsp))
	if s.state() != dat.EPStateUnconnected {
		t.Errorf("the endpoint is %v", s.state())
	}
	refused(dat.CSPCreate(s.ia, &dat.Comm{Domain: 2, Type: 1}, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4000}, s.cr, &csp))
	ok(t, dat.EVDFree(s.cr))
}

// TestListeningWhereItIsNotAllowed: a service point at a port that the system keeps for others names its argument. Only
// PSPCreateAny, which looks for a free one, says that there is none.
func TestListeningWhereItIsNotAllowed(t *testing.T) {
	const kept = 1
	if l, err := net.Listen("tcp", "127.0.0.1:1"); err == nil || !errors.Is(err, fs.ErrPermission) {
		if err == nil {
			l.Close()
		}
		t.Skip("this process may listen there: ", err)
	}
	s := newSide(t, "soft-tcp", nil)
	var psp dat.PSPHandle
	var rsp dat.RSPHandle
	var csp dat.CSPHandle
	want(t, dat.PSPCreate(s.ia, kept, s.cr, dat.PSPConsumerFlag, &psp), dat.InvalidParameter, dat.InvalidArg2)
	want(t, dat.RSPCreate(s.ia, kept, s.ep, s.cr, &rsp), dat.InvalidParameter, dat.InvalidArg2)
	address := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: kept}
	want(t, dat.CSPCreate(s.ia, &dat.Comm{Domain: 2, Type: 1}, address, s.cr, &csp), dat.InvalidParameter, dat.InvalidArg3)
}
