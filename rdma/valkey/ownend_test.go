package valkey_test

import (
	"errors"
	"io"
	"runtime"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/valkey"
)

// TestOwnEnd: the program closes the adapter under a connection. That is no end of what the peer sends, to a Read that
// waits as little as to later ones. The peer reads the end.
func TestOwnEnd(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		a := open(t, name)
		x, y := connect(t, listen(t, a, valkey.Config{}), &valkey.Dialer{Adapter: open(t, name)})
		read := make(chan error, 1)
		go func() {
			_, err := y.Read(make([]byte, 1))
			read <- err
		}()
		for !y.Reading() {
			runtime.Gosched()
		}
		must(t, a.Close())
		err := <-read
		for _, when := range []string{"that waits", "afterwards"} {
			if !errors.Is(err, valkey.ErrReset) || !errors.Is(err, rdma.ErrClosed) {
				t.Errorf("a Read %s: %v", when, err)
			}
			_, err = y.Read(make([]byte, 1))
		}
		if n, err := x.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("the peer: %d, %v", n, err)
		}
	})
}
