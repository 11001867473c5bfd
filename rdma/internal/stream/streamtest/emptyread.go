package streamtest

import (
	"errors"
	"net"
	"testing"
	"time"
)

// EmptyReads checks that a Read of no bytes does as that of a net.TCPConn, of which the two ends are: only
// Close makes it fail.
func EmptyReads(t *testing.T, x, y net.Conn) {
	t.Helper()
	read := func(when string) {
		t.Helper()
		if n, err := x.Read(nil); n != 0 || err != nil {
			t.Errorf("a Read of no bytes %s: %d, %v", when, n, err)
		}
	}
	read("before anything has arrived")
	Must(t, x.SetReadDeadline(time.Unix(1, 0)))
	read("behind the deadline")
	Must(t, y.Close())
	read("of an end whose peer has closed")
	Must(t, x.Close())
	if n, err := x.Read(nil); n != 0 || !errors.Is(err, net.ErrClosed) {
		t.Errorf("a Read of no bytes behind Close: %d, %v", n, err)
	}
}
