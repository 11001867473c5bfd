package streamtest

import (
	"bytes"
	"net"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/internal/stream"
	"github.com/godapl/godapl/rdma/mem"
)

// Unread is a connection that tells how many bytes have arrived and were not read.
type Unread interface {
	net.Conn
	Unread() int
}

// TornRead sends n bytes 0xff from x to y, and closes the adapter of y beside a Read of all. Zeros are bytes that nobody has
// sent: the memory that the peer wrote is freed while the Read copies.
func TornRead(t *testing.T, a *rdma.Adapter, x net.Conn, y Unread, n int) {
	t.Helper()
	_, err := x.Write(bytes.Repeat([]byte{0xff}, n))
	Must(t, err)
	for y.Unread() < n {
		_, err := y.Write(nil) // takes messages in
		Must(t, err)
	}
	p := make([]byte, n)
	begins, read := make(chan struct{}), make(chan int)
	go func() {
		close(begins)
		m, _ := y.Read(p)
		read <- m
	}()
	<-begins
	Must(t, a.Close())
	if m := <-read; bytes.Count(p[:m], []byte{0xff}) != m {
		t.Errorf("a Read of %d bytes returned others than the peer has sent", m)
	}
}

// BytesBefore is stream.Bytes which runs f once, when it has found memory of that region.
func BytesBefore(region *mem.Region, f func()) func(mem.Slice) ([]byte, error) {
	return func(s mem.Slice) ([]byte, error) {
		b, err := stream.Bytes(s)
		if f != nil && s.Region() == region {
			f()
			f = nil
		}
		return b, err
	}
}
