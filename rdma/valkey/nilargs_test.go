package valkey_test

import (
	"errors"
	"net"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/valkey"
)

// A program that leaves out the adapter is told so.
func TestNoAdapter(t *testing.T) {
	_, err := (&valkey.Dialer{}).DialContext(t.Context(), "tcp", "127.0.0.1:1")
	wantNoAdapter(t, err)
	_, err = valkey.Listen(t.Context(), nil, "127.0.0.1:0", valkey.Config{})
	wantNoAdapter(t, err)
}

func wantNoAdapter(t *testing.T, err error) {
	t.Helper()
	if op, ok := errors.AsType[*net.OpError](err); !ok || !errors.Is(op, rdma.ErrInvalid) {
		t.Errorf("%v, want ErrInvalid in a *net.OpError", err)
	}
}
