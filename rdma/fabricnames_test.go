package rdma_test

import (
	"testing"

	"github.com/godapl/godapl/rdma"
)

// TestFabricAddressesAreThePrograms: a fabric gets the addresses that the program has
// given, whatever they look like.
func TestFabricAddressesAreThePrograms(t *testing.T) {
	const name = "acme-names"
	must(t, rdma.RegisterFabric(name, newPipes()))
	defer rdma.UnregisterFabric(name)
	for _, address := range []string{"srv", "unix:/run/x", "a:b:c", "[srv]:007", "no number:x", "host:0x10", "srv:7471"} {
		x, y := newSide(t, name), newSide(t, name)
		ln, err := y.adapter.Listen(within(t), address, rdma.ListenConfig{})
		if err != nil {
			t.Errorf("listen at %q: %v", address, err)
			continue
		}
		if address != "[srv]:007" && ln.Addr().String() != address {
			t.Errorf("a listener at %q says it is at %q", address, ln.Addr().String())
		}
		accepted := make(chan error, 1)
		go func() {
			var err error
			y.conn, err = (<-ln.Requests()).Accept(within(t), rdma.EndpointConfig{Zone: y.zone})
			accepted <- err
		}()
		if x.conn, err = x.adapter.Dial(within(t), address, rdma.EndpointConfig{Zone: x.zone, Private: []byte("hello")}); err != nil {
			t.Fatalf("dial %q: %v", address, err)
		}
		must(t, <-accepted)
		if x.conn.RemoteAddr().String() != address || string(y.conn.PrivateData()) != "hello" {
			t.Errorf("%q: connected with %q, private data %q", address, x.conn.RemoteAddr().String(), y.conn.PrivateData())
		}
		must(t, x.conn.Send(within(t), x.mem.Slice(0, 8)))
		_, err = y.conn.Recv(within(t), y.mem.Slice(0, 8))
		must(t, err)
		_, err = x.adapter.Dial(within(t), address+"!", rdma.EndpointConfig{Zone: x.zone})
		wantCode(t, err, rdma.ErrRefused, "nobody is there")
		must(t, ln.Close())
	}
	x := newSide(t, name)
	_, err := x.adapter.Listen(within(t), "", rdma.ListenConfig{})
	wantCode(t, err, rdma.ErrBadAddress, "listen at no address")
	_, err = x.adapter.Dial(within(t), "", rdma.EndpointConfig{Zone: x.zone})
	wantCode(t, err, rdma.ErrBadAddress, "dial no address")
}
