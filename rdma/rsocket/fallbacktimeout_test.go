package rsocket_test

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"

	"github.com/godapl/godapl/rdma/rsocket"
)

// late is a Fallback that has waited too long.
type late struct{}

func (late) DialContext(_ context.Context, network, _ string) (net.Conn, error) {
	return nil, &net.OpError{Op: "dial", Net: network, Err: os.ErrDeadlineExceeded}
}

// refused is a Fallback that nobody listens to.
type refused struct{}

func (refused) DialContext(_ context.Context, network, _ string) (net.Conn, error) {
	return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("refused")}
}

// TestFallbackTimeout: whether a dialer has waited too long is what its last attempt says, as with a *net.Dialer.
func TestFallbackTimeout(t *testing.T) {
	for _, c := range []struct {
		fallback rsocket.Fallback
		want     bool
	}{{late{}, true}, {refused{}, false}} {
		d := rsocket.Dialer{Adapter: open(t, "soft-loop"), Fallback: c.fallback}
		_, err := d.Dial("tcp", "localhost:1") // nobody listens there
		var timeout net.Error
		if !errors.As(err, &timeout) || timeout.Timeout() != c.want {
			t.Errorf("%T: %v", c.fallback, err)
		}
	}
}
