package streamtest

import (
	"bytes"
	"net"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// TornRead closes the adapter of y beside a Read of n bytes 0xff, which have all arrived. Zeros are bytes that nobody has sent:
// the memory that the peer wrote is freed while the Read copies.
func TornRead(t *testing.T, a *rdma.Adapter, y net.Conn, n int) {
	t.Helper()
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
