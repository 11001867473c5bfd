package wire

import (
	"net"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestUncongested: a connection within the host gets reno, and one that appears to leave the host keeps the
// system's congestion control.
func TestUncongested(t *testing.T) {
	for _, c := range []struct {
		from, to string
		within   bool
	}{{"127.0.0.1", "127.0.0.1", true}, {"127.0.0.2", "127.0.0.1", false}} {
		ln, err := net.Listen("tcp4", c.to+":0")
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(c.from)}}
		conn, err := d.Dial("tcp4", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		before := congestion(t, conn.(*net.TCPConn))
		Uncongested(conn.(*net.TCPConn))
		want := before
		if c.within {
			want = "reno"
		}
		if got := congestion(t, conn.(*net.TCPConn)); got != want {
			t.Errorf("from %s to %s: %q, want %q", c.from, c.to, got, want)
		}
	}
}

func congestion(t *testing.T, conn *net.TCPConn) (name string) {
	t.Helper()
	raw, err := conn.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) {
			var err error
			if name, err = unix.GetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION); err != nil {
				t.Error(err)
			}
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimRight(name, "\x00")
}
