package rdma_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/godapl/godapl/rdma"
)

func ExampleConn() {
	client, server, done := examplePair(rdma.EndpointConfig{})
	defer done()
	ctx := context.Background()
	received := make(chan string)
	go func() {
		n, err := server.conn.Recv(ctx, server.memory.All())
		received <- fmt.Sprintf("%q %v", server.memory.Bytes()[:n], err)
	}()
	copy(client.memory.Bytes(), "a message")
	err := client.conn.Send(ctx, client.memory.Slice(0, 9))
	fmt.Println(<-received, err)

	err = client.conn.Shutdown(ctx)
	<-server.conn.Context().Done()
	fmt.Println(err, errors.Is(context.Cause(server.conn.Context()), rdma.ErrDisconnected))
	// Output:
	// "a message" <nil> <nil>
	// <nil> true
}

func ExampleConn_ReaderAt() {
	client, server, done := examplePair(rdma.EndpointConfig{})
	defer done()
	copy(server.memory.Bytes(), "any io.Reader code reads remote memory")
	remote := server.memory.Slice(0, 38).Remote()
	r := client.conn.ReaderAt(context.Background(), remote)
	text, err := io.ReadAll(io.NewSectionReader(r, 0, remote.Len()))
	fmt.Printf("%s, %v\n", text, err)
	// Output: any io.Reader code reads remote memory, <nil>
}

func ExampleConn_FetchAdd() {
	client, server, done := examplePair(rdma.EndpointConfig{})
	defer done()
	counter := server.memory.Slice(0, 8).Remote()
	for range 3 {
		ticket, err := client.conn.FetchAdd(context.Background(), counter, 1)
		fmt.Println(ticket, err)
	}
	// Output:
	// 0 <nil>
	// 1 <nil>
	// 2 <nil>
}

func ExampleEndpoint() {
	ctx := context.Background()
	client, server := newExampleSide(), newExampleSide()
	defer client.adapter.Close()
	defer server.adapter.Close()
	ln, _ := server.adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	go func() {
		for req := range ln.Requests() {
			conn, _ := req.Accept(ctx, rdma.EndpointConfig{Zone: server.zone})
			copy(server.memory.Bytes(), "early")
			conn.Send(ctx, server.memory.Slice(0, 5))
			conn.Shutdown(ctx)
		}
	}()

	// Receives that are posted before the connection cannot be late.
	e, err := client.adapter.NewEndpoint(rdma.EndpointConfig{Zone: client.zone})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		e.PostRecv(rdma.Recv{Into: client.memory.All()})
		if _, err := e.Connect(ctx, ln.Addr().String(), rdma.ConnConfig{}); err != nil {
			fmt.Println(err)
			return
		}
		c, _, _ := e.RecvCompletions().Wait(ctx, 1)
		fmt.Printf("%s\n", client.memory.Bytes()[:c.Length])
		<-e.Conn().Context().Done()
		fmt.Println(e.State())
		e.Reset() // and once more
	}
	// Output:
	// early
	// disconnected
	// early
	// disconnected
}

func ExampleEndpointConfig() {
	client := newExampleSide()
	defer client.adapter.Close()
	e, err := client.adapter.NewEndpoint(rdma.EndpointConfig{Zone: client.zone, RecvDepth: 256})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.Config().RecvDepth, e.Config().SendDepth)
	_, err = client.adapter.NewEndpoint(rdma.EndpointConfig{SendSegments: 1000})
	fmt.Println(errors.Is(err, rdma.ErrInvalid))
	// Output:
	// 256 64
	// true
}

func ExampleState() {
	client, _, done := examplePair(rdma.EndpointConfig{})
	defer done()
	fmt.Println(client.conn.State())
	client.conn.Abort()
	<-client.conn.Context().Done()
	fmt.Println(client.conn.State())
	// Output:
	// connected
	// disconnected
}

func ExampleError() {
	client, _, done := examplePair(rdma.EndpointConfig{})
	defer done()
	err := client.conn.PostSend(rdma.Send{From: client.memory.Slice(4000, 100)})
	var e *rdma.Error
	if errors.As(err, &e) {
		fmt.Println(e.Code)
		fmt.Println(e.Detail)
	}
	// Output:
	// invalid parameter
	// 100 bytes at offset 4000 are not inside 4096 bytes
}

func ExampleCode() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := rdma.Open(ctx, "soft", rdma.OpenConfig{})
	fmt.Println(errors.Is(err, rdma.ErrCanceled), errors.Is(err, context.Canceled))
	// Output: true true
}
