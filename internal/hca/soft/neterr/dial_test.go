package neterr

import (
	"errors"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/errno"
)

// TestDialWithoutPorts: over IPv4 the system has only one reason. A program that gives up at a bad address may try
// again when there are fewer connections.
func TestDialWithoutPorts(t *testing.T) {
	for to, want := range map[string]hca.Code{"192.0.2.1": hca.Resources, "2001:db8::1": hca.BadAddress} {
		address := &net.TCPAddr{IP: net.ParseIP(to), Port: 7}
		err := Dial(address.String(), &net.OpError{Op: "dial", Net: "tcp", Addr: address, Err: os.NewSyscallError("connect", errno.NotAvail)})
		var e *hca.Error
		if !errors.As(err, &e) || e.Code != want || !strings.Contains(err.Error(), "ports") {
			t.Errorf("%v, want %v with a word on ports", err, want)
		}
	}
}

// TestDialWithoutDescriptors: it is this side that has reached a limit. Nothing is known of the peer.
func TestDialWithoutDescriptors(t *testing.T) {
	for _, limit := range []error{errno.Files, errno.AllFiles} {
		err := Dial("192.0.2.1:7", &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", limit)})
		var e *hca.Error
		if !errors.As(err, &e) || e.Code != hca.Resources {
			t.Errorf("%v, want insufficient resources", err)
		}
	}
}

// TestDialReset: somebody was there, and at a port where nobody listens the system says so.
func TestDialReset(t *testing.T) {
	for errno, want := range map[error]string{errno.Reset: "was reset", errno.Refused: "nobody listens"} {
		err := Dial("192.0.2.1:7", &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", errno)})
		if !errors.Is(err, hca.Refused) || !strings.HasPrefix(err.Error(), "connect 192.0.2.1:7: refused: ") ||
			!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "nobody") != strings.Contains(want, "nobody") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestDialAboveThePorts: a number with a digit too many is a valid service, so that only the error can tell.
func TestDialAboveThePorts(t *testing.T) {
	for address, above := range map[string]bool{"localhost:65535": false, "localhost:65536": true, "[::1]:70000": true, "a name": false} {
		err := Dial(address, os.NewSyscallError("connect", errno.Refused))
		if told := strings.Contains(err.Error(), "above 65535"); told != above || !errors.Is(err, hca.Refused) || !errors.Is(err, errno.Refused) {
			t.Errorf("%v: told that the service is no port: %v, want %v", err, told, above)
		}
	}
}

// TestDialDenied: a filter of system calls says nothing of the peer. But a firewall does, which denies connect.
func TestDialDenied(t *testing.T) {
	for call, want := range map[string]hca.Code{"socket": hca.Resources, "getsockname": hca.Resources, "connect": hca.Unreachable} {
		err := Dial("192.0.2.1:7", &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError(call, os.ErrPermission)})
		if !errors.Is(err, want) || !errors.Is(err, os.ErrPermission) || strings.Contains(err.Error(), "filter") != (want == hca.Resources) {
			t.Errorf("%v, want %v", err, want)
		}
	}
}
