package valkey_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/valkey"
)

// TestTornMessage: the program closes the adapter while a message is taken out of its receive. That is no violation of the
// protocol by the peer.
func TestTornMessage(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		a := open(t, name)
		p, c := rawServer(t, a, valkey.Config{})
		p.send(opcode(0)) // the features
		for known := false; !known; _, known = c.ServerFeatures() {
			_, err := c.Write(nil) // takes messages in
			must(t, err)
		}
		t.Cleanup(c.BeforeMessage(func() { must(t, a.Close()) }))
		p.send(opcode(2)) // a sign of life
		var err error
		for err == nil {
			_, err = c.Write(nil)
		}
		if !errors.Is(err, valkey.ErrReset) || !errors.Is(err, rdma.ErrClosed) || errors.Is(err, valkey.ErrProtocol) {
			t.Errorf("write: %v", err)
		}
		if n := strings.Count(err.Error(), valkey.ErrReset.Error()); n != 1 {
			t.Errorf("it says %d times that the connection was reset: %v", n, err)
		}
	})
}
