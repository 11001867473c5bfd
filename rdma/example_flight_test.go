package rdma_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"

	"github.com/godapl/godapl/rdma"
)

// With OpenConfig.FlightRecorder, a connection tells what happened to it last. Print the cause of its end
// with %+v, and the events are below it.
func ExampleConn_Flight() {
	adapter, err := rdma.Open(context.Background(), "soft-loop", rdma.OpenConfig{FlightRecorder: true})
	if err != nil {
		log.Fatal(err)
	}
	defer adapter.Close()
	client, server := exampleConn(adapter)
	check(client.Abort())
	<-server.Context().Done()
	for _, e := range server.Flight() {
		fmt.Println(e.Kind)
	}
	// Output:
	// accepting
	// established
	// ended
}

// A log gets the events as a list.
func ExampleFlight() {
	events := rdma.Flight{{Kind: rdma.FlightEstablished}, {Kind: rdma.FlightCompleted, Op: rdma.OpWrite, Length: 64, Cookie: 7}}
	log := slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	log.Info("the last events", "flight", events)
	// Output: {"level":"INFO","msg":"the last events","flight":["00:00:00.000000 established","00:00:00.000000 write, 64 bytes, cookie 0x7: success"]}
}

func ExampleFlightEvent() {
	var e rdma.FlightEvent
	e.Kind, e.Op, e.Status, e.Length, e.Cookie = rdma.FlightCompleted, rdma.OpRead, rdma.StatusFlushed, 8, 1
	fmt.Println(e)
	// Output: 00:00:00.000000 read, 8 bytes, cookie 0x1: flushed
}

func ExampleFlightKind() {
	kind := rdma.FlightReceiveMissing
	fmt.Println(kind)
	// Output: a message finds no receive
}

// exampleConn connects an adapter to itself.
func exampleConn(a *rdma.Adapter) (client, server *rdma.Conn) {
	ctx := context.Background()
	zone, err := a.NewZone()
	check(err)
	ln, err := a.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	check(err)
	accepted := make(chan *rdma.Conn)
	go func() {
		conn, err := (<-ln.Requests()).Accept(ctx, rdma.EndpointConfig{Zone: zone})
		check(err)
		accepted <- conn
	}()
	client, err = a.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: zone})
	check(err)
	server = <-accepted
	check(ln.Close())
	return client, server
}
