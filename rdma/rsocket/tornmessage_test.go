package rsocket_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rsocket"
)

// TestTornMessage: the program closes the adapter while a message is taken out of its receive. That is no violation of the
// protocol by the peer.
func TestTornMessage(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		a := open(t, name)
		p, y := rawPair(t, open(t, name), listen(t, a, rsocket.Config{}))
		if !sends(p.conn) {
			t.Skip("messages are immediate data")
		}
		t.Cleanup(y.BeforeMessage(func() { must(t, a.Close()) }))
		_, err := y.Read(make([]byte, 1))
		if !errors.Is(err, rsocket.ErrReset) || !errors.Is(err, rdma.ErrClosed) || errors.Is(err, rsocket.ErrProtocol) {
			t.Errorf("read: %v", err)
		}
		if n := strings.Count(err.Error(), rsocket.ErrReset.Error()); n != 1 {
			t.Errorf("it says %d times that the connection was reset: %v", n, err)
		}
	})
}
