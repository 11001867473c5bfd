package rdma_test

import (
	"context"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// deniedFabric listens as TCP does where the system refuses one of the calls.
type deniedFabric struct {
	*pipes
	call string
}

func (f deniedFabric) Listen(context.Context, string) (net.Listener, error) {
	return nil, &net.OpError{Op: "listen", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)},
		Err: os.NewSyscallError(f.call, os.ErrPermission)}
}

// A filter of system calls that refuses what listening needs is no bad address.
func TestListenDenied(t *testing.T) {
	for _, call := range []string{"socket", "setsockopt", "bind", "listen"} {
		must(t, rdma.RegisterFabric("test-denied", deniedFabric{call: call}))
		a := open(t, "test-denied")
		must(t, rdma.UnregisterFabric("test-denied"))
		_, err := a.Listen(within(t), "127.0.0.1:7471", rdma.ListenConfig{})
		wantCode(t, err, rdma.ErrResources, call)
		if want := "listen 127.0.0.1:7471: insufficient resources: the system refuses a listening socket"; err != nil &&
			(!strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), ": "+call+": permission denied")) {
			t.Errorf("%v\nwant %s ... %s", err, want, call)
		}
	}
}
