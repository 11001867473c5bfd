package rsocket_test

import (
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rsocket"
)

// A program that leaves out the adapter is told so.
func TestNoAdapter(t *testing.T) {
	_, err := (&rsocket.Dialer{}).DialContext(t.Context(), "tcp", "127.0.0.1:1")
	wantNoAdapter(t, err)
	_, err = (&rsocket.Dialer{Fallback: &net.Dialer{}}).DialContext(t.Context(), "tcp", "127.0.0.1:1")
	wantNoAdapter(t, err)
	if err != nil && strings.Contains(err.Error(), "without RDMA") {
		t.Errorf("Fallback was tried: %v", err)
	}
	_, err = rsocket.Listen(t.Context(), nil, "127.0.0.1:0", rsocket.Config{})
	wantNoAdapter(t, err)
}

func wantNoAdapter(t *testing.T, err error) {
	t.Helper()
	if op, ok := errors.AsType[*net.OpError](err); !ok || !errors.Is(op, rdma.ErrInvalid) {
		t.Errorf("%v, want ErrInvalid in a *net.OpError", err)
	}
}
