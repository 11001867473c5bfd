package rdma_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

func ExampleCompletion() {
	client, server, done := examplePair(rdma.EndpointConfig{})
	defer done()
	lent := server.memory.Slice(0, 8).Remote()
	server.memory.Free()
	client.conn.PostWrite(rdma.Write{From: client.memory.Slice(0, 8), To: lent, Cookie: 9})
	c := <-client.conn.SendCompletions().C()
	client.conn.SendCompletions().StopChan()
	fmt.Println(c.Op, c.Cookie, c.Status)
	fmt.Println(errors.Is(c.Err(), rdma.ErrWork))
	// Output:
	// write 9 remote access error
	// true
}

func ExampleStatus() {
	fmt.Println(rdma.StatusOK, "-", rdma.StatusFlushed, "-", rdma.StatusReceiverNotReady)
	// Output: success - flushed - receiver not ready
}

func ExampleOp() {
	fmt.Println(rdma.OpWrite.IsRecv(), rdma.OpRecvImm.IsRecv())
	// Output: false true
}

func ExampleCompletionQueue() {
	client, server, done := examplePair(rdma.EndpointConfig{})
	defer done()
	ctx := context.Background()
	// Two endpoints complete in one queue.
	queue, err := client.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 128})
	if err != nil {
		fmt.Println(err)
		return
	}
	ln, _ := server.adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	go func() {
		for req := range ln.Requests() {
			req.Accept(ctx, rdma.EndpointConfig{Zone: server.zone})
		}
	}()
	cfg := rdma.EndpointConfig{Zone: client.zone, SendCQ: queue, RecvCQ: queue}
	for i := range 2 {
		conn, err := client.adapter.Dial(ctx, ln.Addr().String(), cfg)
		if err != nil {
			fmt.Println(err)
			return
		}
		conn.PostWrite(rdma.Write{From: client.memory.Slice(0, 8), To: server.memory.Remote(), Cookie: uint64(i)})
	}
	for range 2 {
		c, _, _ := queue.Dispatcher().Wait(ctx, 1)
		fmt.Println(c.Cookie, c.Err())
	}
	// Output:
	// 0 <nil>
	// 1 <nil>
}

// happening is an event of a program that wants to wait in one place.
type happening struct {
	what string
}

func ExampleSink() {
	server := newExampleSide()
	defer server.adapter.Close()
	ctx := context.Background()
	all := event.New[happening](event.Config{Name: "everything"})
	defer all.Close()
	queue, err := server.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 64,
		Sink: rdma.NewSink(all, func(to *happening, c *rdma.Completion) { to.what = fmt.Sprint(c.Op, " ", c.Status) }),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	conns := rdma.NewSink(all, func(to *happening, e *rdma.ConnEvent) { to.what = e.Kind.String() })
	e, _ := server.adapter.NewEndpoint(rdma.EndpointConfig{Zone: server.zone, RecvCQ: queue, SendCQ: queue, ConnEvents: conns})
	e.PostRecv(rdma.Recv{Into: server.memory.Slice(0, 64)})
	e.PostRecv(rdma.Recv{Into: server.memory.Slice(64, 64)})

	ln, _ := server.adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	go func() { // a client
		client := newExampleSide()
		defer client.adapter.Close()
		conn, err := client.adapter.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: client.zone})
		check(err)
		conn.Send(ctx, client.memory.Slice(0, 5))
		conn.Shutdown(ctx)
	}()
	(<-ln.Requests()).AcceptOn(ctx, e, rdma.ConnConfig{})
	for range 4 {
		h, _, _ := all.Wait(ctx, 1)
		fmt.Println(h.what)
	}
	// Output:
	// established
	// receive success
	// receive flushed
	// disconnected
}

func ExampleSink_connections() {
	client, server, done := examplePair(rdma.EndpointConfig{})
	defer done()
	d := event.New[rdma.ConnEvent](event.Config{Name: "connections"})
	defer d.Close()
	sink := rdma.NewSink(d, func(to, from *rdma.ConnEvent) { *to = *from }) // for any number of endpoints
	e, _ := client.adapter.NewEndpoint(rdma.EndpointConfig{Zone: client.zone, ConnEvents: sink})
	ctx := context.Background()
	ln, _ := server.adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	go func() { (<-ln.Requests()).Accept(ctx, rdma.EndpointConfig{Zone: server.zone}) }()
	e.Connect(ctx, ln.Addr().String(), rdma.ConnConfig{})
	ev, _, _ := d.Wait(ctx, 1)
	fmt.Println(ev.Kind, ev.Endpoint == e)
	// Output: established true
}

func ExampleConnEvent() {
	client, server, done := examplePair(rdma.EndpointConfig{})
	defer done()
	server.conn.BeginShutdown()
	for range 2 {
		ev, _, _ := client.conn.Endpoint().ConnEvents().Wait(context.Background(), 1)
		fmt.Println(ev.Kind, ev.Conn == client.conn, errors.Is(ev.Err, rdma.ErrDisconnected))
	}
	// Output:
	// established true false
	// disconnected true true
}

func ExampleConnEventKind() {
	fmt.Println(rdma.Established, rdma.Disconnected, rdma.Broken)
	// Output: established disconnected broken
}

func ExampleListenConfig_sink() {
	ctx := context.Background()
	server, client := newExampleSide(), newExampleSide()
	defer server.adapter.Close()
	defer client.adapter.Close()
	d := event.New[*rdma.ConnRequest](event.Config{Name: "requests", Depth: 16}) // the backlog
	defer d.Close()
	ln, _ := server.adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{
		Sink: rdma.NewSink(d, func(to **rdma.ConnRequest, r *rdma.ConnRequest) { *to = r }),
	})
	go client.adapter.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: client.zone, Private: []byte("hello")})
	req, _, _ := d.Wait(ctx, 1)
	fmt.Printf("%s\n", req.PrivateData())
	_, err := req.Accept(ctx, rdma.EndpointConfig{Zone: server.zone})
	fmt.Println(err)
	// Output:
	// hello
	// <nil>
}

func ExampleAdapter_Async() {
	d := event.New[string](event.Config{Name: "trouble"})
	defer d.Close()
	adapter, err := rdma.Open(context.Background(), "soft-loop", rdma.OpenConfig{
		Async: rdma.NewSink(d, func(to *string, e *rdma.AsyncError) { *to = e.Kind.String() }),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer adapter.Close()
	zone, _ := adapter.NewZone()
	queue, _ := zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{})
	queue.SetLowWatermark(2) // there are none
	kind, _, _ := d.Wait(context.Background(), 1)
	fmt.Println(kind)
	// Output: low watermark
}

func ExampleAsyncError() {
	client, _, done := examplePair(rdma.EndpointConfig{})
	defer done()
	queue, _ := client.zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{})
	queue.SetLowWatermark(1)
	ev, _, _ := client.adapter.Async().Wait(context.Background(), 1)
	fmt.Println(ev.Kind == rdma.AsyncLowWatermark, ev.SharedReceive == queue)
	// Output: true true
}

func ExampleAsyncKind() {
	fmt.Println(rdma.AsyncOverflow, "-", rdma.AsyncLowWatermark)
	// Output: overflow - low watermark
}

func ExampleSharedReceiveQueue() {
	ctx := context.Background()
	server := newExampleSide()
	defer server.adapter.Close()
	queue, err := server.zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{Depth: 64})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 4 { // for all clients together
		queue.PostRecv(rdma.Recv{Into: server.memory.Slice(64*i, 64), Cookie: uint64(i)})
	}
	ln, _ := server.adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	client := newExampleSide()
	defer client.adapter.Close()
	for i := range 2 {
		accepted := make(chan *rdma.Conn)
		go func() {
			conn, _ := (<-ln.Requests()).Accept(ctx, rdma.EndpointConfig{Zone: server.zone, SharedReceives: queue})
			accepted <- conn
		}()
		near, _ := client.adapter.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: client.zone})
		far := <-accepted
		n := copy(client.memory.Bytes(), fmt.Sprintf("from client %d", i))
		near.Send(ctx, client.memory.Slice(0, n))
		c, _, _ := far.RecvCompletions().Wait(ctx, 1)
		fmt.Printf("%s\n", server.memory.Bytes()[64*c.Cookie:][:c.Length])
	}
	fmt.Println(queue.Counts())
	// Output:
	// from client 0
	// from client 1
	// 2 2
}

func ExampleSharedReceiveConfig() {
	server := newExampleSide()
	defer server.adapter.Close()
	low := make(chan *rdma.SharedReceiveQueue, 1)
	queue, err := server.zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{
		Depth: 16, Low: func(q *rdma.SharedReceiveQueue) { low <- q },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	queue.SetLowWatermark(8)
	fmt.Println(<-low == queue)
	// Output: true
}
