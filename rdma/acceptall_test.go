package rdma_test

import (
	"context"
	"io"
	"net"
	"slices"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// stalled requests a connection from ln as an MPA initiator that announces an empty first
// message (RFC 6581 section 9), reads the reply, and never sends the message. It fails the test
// if no reply arrives.
func stalled(t *testing.T, ln *rdma.Listener) {
	t.Helper()
	conn, err := net.Dial("tcp", ln.Addr().String())
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	deadline, _ := within(t).Deadline()
	must(t, conn.SetDeadline(deadline))
	_, err = conn.Write(append([]byte("MPA ID Req Frame"), []byte{0x50, 2, 0, 4, 0xc0, 1, 0, 1}...))
	must(t, err)
	reply := make([]byte, 24)
	_, err = io.ReadFull(conn, reply)
	must(t, err)
}

// AcceptAll accepts other peers while some peers have the reply but have not sent their first
// message.
func TestAcceptAllDoesNotWaitForAPeer(t *testing.T) {
	x, y := newSide(t, "soft-tcp"), newSide(t, "soft-tcp")
	ln, err := y.adapter.Listen(within(t), "127.0.0.1:0", rdma.ListenConfig{})
	must(t, err)
	ctx, cancel := context.WithCancel(within(t))
	defer cancel()
	conns, end := make(chan *rdma.Conn), make(chan error, 1)
	go func() {
		for conn, err := range ln.AcceptAll(ctx, rdma.EndpointConfig{Zone: y.zone}) {
			if err != nil {
				end <- err
				return
			}
			conns <- conn
		}
	}()
	for range 3 {
		stalled(t, ln)
	}
	for range 2 {
		_, err := x.adapter.Dial(within(t), ln.Addr().String(), rdma.EndpointConfig{Zone: x.zone, Private: []byte("a quick one")})
		must(t, err)
		select {
		case theirs := <-conns:
			if p := string(theirs.PrivateData()); p != "a quick one" {
				t.Errorf("%v was yielded, with %q", theirs, p)
			}
		case err := <-end:
			t.Fatal(err)
		}
	}
	cancel()
	wantCode(t, <-end, rdma.ErrCanceled, "the end")
}

// The iteration ends when its listener is closed, after the requests that arrived before.
func TestAcceptAllEndsWithItsListener(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := newSide(t, name), newSide(t, name)
		ln, err := y.adapter.Listen(within(t), anywhere(y.adapter), rdma.ListenConfig{})
		must(t, err)
		go func() {
			for range 5 {
				if _, err := x.adapter.Dial(within(t), ln.Addr().String(), rdma.EndpointConfig{Zone: x.zone}); err != nil {
					t.Error(err)
				}
			}
			ln.Close()
		}()
		n := 0
		for conn, err := range ln.AcceptAll(within(t), rdma.EndpointConfig{Zone: y.zone}) {
			if err != nil {
				wantCode(t, err, rdma.ErrClosed, "the end")
				continue
			}
			if n++; conn.State() != rdma.StateConnected {
				t.Errorf("%v", conn)
			}
		}
		if n != 5 {
			t.Errorf("%d connections, want 5", n)
		}
	})
}

// An invalid configuration ends the iteration, and the peer is rejected.
func TestAcceptAllWithoutAZone(t *testing.T) {
	x, y := newSide(t, "soft-loop"), newSide(t, "soft-loop")
	ln, err := y.adapter.Listen(within(t), "127.0.0.1:0", rdma.ListenConfig{})
	must(t, err)
	refused := make(chan error, 1)
	go func() {
		_, err := x.adapter.Dial(within(t), ln.Addr().String(), rdma.EndpointConfig{Zone: x.zone})
		refused <- err
	}()
	var ends []error
	for conn, err := range ln.AcceptAll(within(t), rdma.EndpointConfig{}) {
		if conn != nil {
			t.Errorf("%v", conn)
		}
		ends = append(ends, err)
	}
	if len(ends) != 1 || slices.Contains(ends, nil) {
		t.Fatalf("the ends are %v", ends)
	}
	wantCode(t, ends[0], rdma.ErrState, "an endpoint without a zone")
	wantCode(t, <-refused, rdma.ErrRejected, "the peer")
}
