package rsocket_test

import (
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
	"github.com/godapl/godapl/rdma/rsocket"
)

// TestAFailureIsNoEnd: an operation of the writer fails. Its reader learns that the connection was lost, and does
// not take the bytes so far for all of them.
func TestAFailureIsNoEnd(t *testing.T) {
	rdmatest.Worlds(t, 20, func(t *testing.T, w *rdmatest.World) {
		writer, reader := worldPair(t, w, rsocket.Config{})
		for _, op := range []rdma.Op{rdma.OpWrite, rdma.OpWriteImm} { // as the adapter has it
			w.Fail(op, rdma.StatusTransport, rdmatest.Nth(3))
		}
		var writing sync.WaitGroup
		writing.Go(func() {
			for range 1000 {
				if _, err := writer.Write(make([]byte, 3000)); err != nil {
					return
				}
			}
			t.Error("no write fails")
		})
		if _, rerr := io.Copy(io.Discard, reader); !errors.Is(rerr, rsocket.ErrReset) {
			t.Errorf("the reader got %v", rerr)
		}
		writing.Wait()
	})
}

// TestAnEndThatCannotBeSent: the message that ends a direction is refused. Both sides learn that the connection was
// lost, and nobody waits for the message.
func TestAnEndThatCannotBeSent(t *testing.T) {
	for name, end := range map[string]func(*rsocket.Conn) error{"CloseWrite": (*rsocket.Conn).CloseWrite, "Close": (*rsocket.Conn).Close} {
		t.Run(name, func(t *testing.T) {
			rdmatest.Worlds(t, 10, func(t *testing.T, w *rdmatest.World) {
				writer, reader := worldPair(t, w, rsocket.Config{})
				if _, err := writer.Write([]byte("first")); err != nil {
					t.Fatal(err)
				}
				if _, err := io.ReadFull(reader, make([]byte, 5)); err != nil {
					t.Fatal(err)
				}
				w.Host("client").Faults().Set(rdmatest.Post, rdma.ErrResources)
				if err := end(writer.(*rsocket.Conn)); name == "CloseWrite" && !errors.Is(err, rsocket.ErrReset) {
					t.Errorf("%s: %v", name, err)
				}
				if n, err := reader.Read(make([]byte, 5)); n != 0 || !errors.Is(err, rsocket.ErrReset) {
					t.Errorf("the reader got %d, %v", n, err)
				}
			})
		})
	}
}
