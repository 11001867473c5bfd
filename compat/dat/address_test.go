package dat_test

import (
	"net"
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestANilPointerIsNoAddress: a variable of a type of package net that was never set is NULL, too.
func TestANilPointerIsNoAddress(t *testing.T) {
	s := newSide(t, usual, nil)
	for _, none := range []dat.IAAddressPtr{nil, (*net.IPAddr)(nil), (*net.TCPAddr)(nil), (*net.UDPAddr)(nil)} {
		want(t, dat.EPConnect(s.ep, none, 1, second, 0, nil, 0, 0), dat.InvalidParameter, dat.InvalidArg2)
		want(t, dat.EPCommonConnect(s.ep, none, second, 0, nil), dat.InvalidParameter, dat.InvalidArg2)
		var csp dat.CSPHandle
		want(t, dat.CSPCreate(s.ia, &dat.Comm{Domain: 2, Type: 1}, none, s.cr, &csp), dat.InvalidParameter, dat.InvalidArg3)
	}
}
