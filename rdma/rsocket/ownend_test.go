package rsocket_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rsocket"
)

// TestOwnEnd: the program closes the adapter under a connection. Calls say so, one that waits as well as later ones; the peer has
// reset nothing. To the peer the connection is lost.
func TestOwnEnd(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		a := open(t, name)
		x, y := connect(t, listen(t, a, rsocket.Config{}), &rsocket.Dialer{Adapter: open(t, name)})
		read := make(chan error, 1)
		go func() {
			_, err := y.Read(make([]byte, 1))
			read <- err
		}()
		for !y.Reading() {
			runtime.Gosched()
		}
		must(t, a.Close())
		all := map[string]error{"a Read that waits": <-read}
		_, all["a Read"] = y.Read(make([]byte, 1))
		_, all["a Write"] = y.Write([]byte("x"))
		for what, err := range all {
			if !errors.Is(err, rsocket.ErrReset) || !errors.Is(err, rdma.ErrClosed) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if n, err := x.Read(make([]byte, 1)); n != 0 || !errors.Is(err, rsocket.ErrReset) || errors.Is(err, rdma.ErrClosed) {
			t.Errorf("the peer: %d, %v", n, err)
		}
	})
}
