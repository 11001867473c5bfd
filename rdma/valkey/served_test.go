package valkey_test

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma/valkey"
)

// TestAServerTellsThatItHasServed: a client gathers bytes behind hundreds of writes of which it has heard nothing. A server that has
// nothing to answer yet, and sends no signs of life from time to time, must not wait for them for ever.
func TestAServerTellsThatItHasServed(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := pair(t, open(t, name), valkey.Config{KeepAlive: -1})
		must(t, y.SetReadDeadline(time.Now().Add(20*time.Second)))
		served := make(chan error)
		go func() { // what the two tell each other at first, so that nothing is left to be said
			_, err := io.ReadFull(y, make([]byte, 1))
			if err == nil {
				_, err = y.Write([]byte("x"))
			}
			served <- err
		}()
		_, err := x.Write([]byte("x"))
		must(t, err)
		_, err = io.ReadFull(x, make([]byte, 1))
		must(t, errors.Join(err, <-served))
		question := make([]byte, 1000)
		for i := range question {
			_, err := x.Write(question[i : i+1])
			must(t, err)
		}
		if n, err := io.ReadFull(y, question); err != nil {
			t.Fatalf("%d of %d bytes arrive: %v", n, len(question), err)
		}
	})
}
