package rdma_test

import (
	"context"
	"fmt"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

func ExampleCompletionQueueConfig() {
	s := newExampleSide()
	defer s.adapter.Close()
	// One queue for the completions of two endpoints.
	queue, err := s.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 4 * 64})
	if err != nil {
		fmt.Println(err)
		return
	}
	cfg := rdma.EndpointConfig{Zone: s.zone, SendCQ: queue, RecvCQ: queue}
	one, _ := s.adapter.NewEndpoint(cfg)
	two, _ := s.adapter.NewEndpoint(cfg)
	fmt.Println(one.SendCompletions() == two.RecvCompletions(), queue.Depth() >= 256)
	// Output: true true
}

func ExampleConnConfig() {
	ctx := context.Background()
	server, client := newExampleSide(), newExampleSide()
	defer server.adapter.Close()
	defer client.adapter.Close()
	ln, _ := server.adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	go func() {
		e, _ := client.adapter.NewEndpoint(rdma.EndpointConfig{Zone: client.zone})
		e.PostRecv(rdma.Recv{Into: client.memory.Slice(0, 64)}) // in place before the connection
		e.Connect(ctx, ln.Addr().String(), rdma.ConnConfig{Private: []byte("volume 7")})
	}()
	req := <-ln.Requests()
	fmt.Printf("%s\n", req.PrivateData())
	_, err := req.Accept(ctx, rdma.EndpointConfig{Zone: server.zone})
	fmt.Println(err)
	// Output:
	// volume 7
	// <nil>
}

func ExampleInterop() {
	s := newExampleSide()
	defer s.adapter.Close()
	// For clients of Linux's siw, which wait for the server to begin.
	ln, err := s.adapter.Listen(context.Background(), "127.0.0.1:0",
		rdma.ListenConfig{Interop: rdma.Interop{SpeakAfter: 50 * time.Millisecond}})
	fmt.Println(err, ln.Addr().Network())
	// Output: <nil> soft-loop
}

// logged makes a dispatcher of texts of events of any kind.
func logged[E rdma.Event](d *event.Dispatcher[string], text func(*E) string) *rdma.Sink[E] {
	return rdma.NewSink(d, func(to *string, ev *E) { *to = text(ev) })
}

func ExampleEvent() {
	ctx := context.Background()
	server := newExampleSide()
	defer server.adapter.Close()
	log := event.New[string](event.Config{Name: "log"})
	defer log.Close()
	server.adapter.Listen(ctx, "127.0.0.1:7471", rdma.ListenConfig{
		Sink: logged(log, func(r *rdma.ConnRequest) string { go r.Reject(nil); return "asked for " + r.LocalAddr().String() }),
	})
	e, _ := server.adapter.NewEndpoint(rdma.EndpointConfig{Zone: server.zone,
		ConnEvents: logged(log, func(ev *rdma.ConnEvent) string { return ev.Kind.String() }),
	})
	e.Connect(ctx, "127.0.0.1:7471", rdma.ConnConfig{}) // no connection, so no connection event
	text, more, _ := log.Wait(ctx, 1)
	fmt.Println(text, more)
	// Output: asked for 127.0.0.1:7471 0
}
