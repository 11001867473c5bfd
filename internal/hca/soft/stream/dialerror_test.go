package stream

import (
	"errors"
	"net"
	"os"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/errno"
)

// TestDialWithoutDescriptors: it is this side that has reached a limit. Nothing is known of the peer.
func TestDialWithoutDescriptors(t *testing.T) {
	for _, limit := range []error{errno.Files, errno.AllFiles} {
		err := dialError("192.0.2.1:7", &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", limit)})
		var e *hca.Error
		if !errors.As(err, &e) || e.Code != hca.Resources {
			t.Errorf("%v, want insufficient resources", err)
		}
	}
}
