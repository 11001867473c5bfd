package rdma_test

import (
	"context"
	"fmt"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// Two functions that show the whole way: register, connect, read.

// lend gives one peer a page to read, and says where it is in the private data.
func lend(ctx context.Context, ln *rdma.Listener, zone *rdma.Zone, text string) error {
	page, err := zone.Alloc(4096, mem.LocalRead|mem.RemoteRead)
	if err != nil {
		return err
	}
	defer page.Free()
	n := copy(page.Bytes(), text)
	where, err := page.Slice(0, n).Remote().MarshalBinary()
	if err != nil {
		return err
	}
	peer, ok := <-ln.Requests()
	if !ok {
		return rdma.ErrClosed
	}
	conn, err := peer.Accept(ctx, rdma.EndpointConfig{Zone: zone, Private: where})
	if err != nil {
		return err
	}
	defer conn.Close()
	<-conn.Context().Done() // context.Cause tells why
	return nil
}

// fetch reads it. Nothing of the peer's program runs for that.
func fetch(ctx context.Context, zone *rdma.Zone, address string) (string, error) {
	conn, err := zone.Adapter().Dial(ctx, address, rdma.EndpointConfig{Zone: zone})
	if err != nil {
		return "", err
	}
	defer conn.Close()
	var there mem.Remote
	if err := there.UnmarshalBinary(conn.PrivateData()); err != nil {
		return "", err
	}
	here, err := zone.Alloc(int(there.Length), mem.LocalWrite)
	if err != nil {
		return "", err
	}
	defer here.Free()
	n, err := conn.Read(ctx, here.All(), there)
	return string(here.Bytes()[:n]), err
}

func Example() {
	ctx := context.Background()
	adapter, err := rdma.Open(ctx, "soft", rdma.OpenConfig{}) // "soft-tcp": iWARP over TCP
	if err != nil {
		fmt.Println(err)
		return
	}
	defer adapter.Close()
	zone, err := adapter.NewZone()
	if err != nil {
		fmt.Println(err)
		return
	}
	ln, err := adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	lent := make(chan error, 1)
	go func() { lent <- lend(ctx, ln, zone, "hello from afar") }()
	text, err := fetch(ctx, zone, ln.Addr().String())
	ln.Close()
	fmt.Println(text, err, <-lent)
	// Output: hello from afar <nil> <nil>
}
