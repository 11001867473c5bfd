package rdma_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

func ExampleOpen() {
	_, err := rdma.Open(context.Background(), "rxe9", rdma.OpenConfig{})
	fmt.Println(errors.Is(err, rdma.ErrNotFound))
	fmt.Println(slices.Contains(rdma.Adapters(), "soft"))
	// Output:
	// true
	// true
}

func ExampleAdapter() {
	adapter, err := rdma.Open(context.Background(), "soft-loop", rdma.OpenConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	zone, _ := adapter.NewZone()
	fmt.Println(adapter.Name())
	fmt.Println(errors.Is(adapter.CloseIdle(), rdma.ErrInUse))
	fmt.Println(zone.Close(), adapter.CloseIdle())
	// Output:
	// soft-loop
	// true
	// <nil> <nil>
}

func ExampleAttributes() {
	adapter, err := rdma.Open(context.Background(), "soft-loop", rdma.OpenConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer adapter.Close()
	a := adapter.Attributes()
	fmt.Println(a.Vendor, a.MaxSegments, a.Caps.Atomics)
	// Output: godapl 16 true
}

func ExampleCaps() {
	client, _, done := examplePair(rdma.EndpointConfig{})
	defer done()
	if caps := client.conn.Caps(); caps.WriteImmediate && caps.Atomics {
		fmt.Println("writes may carry immediate data, and memory may be counted in")
	}
	// Output: writes may carry immediate data, and memory may be counted in
}

func ExampleOpenConfig() {
	adapter, err := rdma.Open(context.Background(), "soft-loop", rdma.OpenConfig{
		ReceiveWait: -1, // a message without a receive breaks its connection at once
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer adapter.Close()
	fmt.Println(adapter.Name())
	// Output: soft-loop
}

func ExampleZone() {
	adapter, err := rdma.Open(context.Background(), "soft-loop", rdma.OpenConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer adapter.Close()
	zone, _ := adapter.NewZone()
	region, _ := zone.Alloc(4096, mem.Local)
	fmt.Println(errors.Is(zone.Close(), rdma.ErrInUse))
	fmt.Println(region.Free(), zone.Close())
	// Output:
	// true
	// <nil> <nil>
}

func ExampleListener() {
	ctx := context.Background()
	server := newExampleSide()
	defer server.adapter.Close()
	ln, err := server.adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{}) // 0: any free service
	if err != nil {
		fmt.Println(err)
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for req := range ln.Requests() { // ends with the listener
			fmt.Printf("request: %s\n", req.PrivateData())
			conn, err := req.Accept(ctx, rdma.EndpointConfig{Zone: server.zone, Private: []byte("welcome")})
			if err != nil {
				fmt.Println(err)
				return
			}
			<-conn.Context().Done()
			conn.Close()
		}
	}()
	client := newExampleSide()
	defer client.adapter.Close()
	conn, err := client.adapter.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: client.zone, Private: []byte("let me in")})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("answer: %s\n", conn.PrivateData())
	conn.Shutdown(ctx)
	ln.Close()
	<-done
	// Output:
	// request: let me in
	// answer: welcome
}

func ExampleListenConfig() {
	server := newExampleSide()
	defer server.adapter.Close()
	ln, err := server.adapter.Listen(context.Background(), "127.0.0.1:0", rdma.ListenConfig{Backlog: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cap(ln.Requests()))
	// Output: 4
}

func ExampleConnRequest() {
	ctx := context.Background()
	server, client := newExampleSide(), newExampleSide()
	defer server.adapter.Close()
	defer client.adapter.Close()
	ln, err := server.adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	go func() {
		req := <-ln.Requests()
		req.Reject([]byte("come back later"))
	}()
	_, err = client.adapter.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: client.zone})
	var e *rdma.Error
	if errors.As(err, &e) && e.Code == rdma.ErrRejected {
		fmt.Printf("rejected: %s\n", e.Private)
	}
	// Output: rejected: come back later
}
