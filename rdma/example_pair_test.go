package rdma_test

import (
	"context"
	"log"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// exampleSide is one side of a connection in the examples.
type exampleSide struct {
	adapter *rdma.Adapter
	zone    *rdma.Zone
	memory  *mem.Region
	conn    *rdma.Conn
}

// examplePair connects two sides in this process, each with a page of memory
// that it lets the other use. The examples of Adapter, Listener and Conn do
// the same step by step.
func examplePair(cfg rdma.EndpointConfig) (client, server *exampleSide, closeBoth func()) {
	ctx := context.Background()
	client, server = newExampleSide(), newExampleSide()
	ln, err := server.adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	check(err)
	accepted := make(chan *rdma.Conn)
	go func() {
		conn, err := (<-ln.Requests()).Accept(ctx, rdma.EndpointConfig{Zone: server.zone})
		check(err)
		accepted <- conn
	}()
	cfg.Zone = client.zone
	client.conn, err = client.adapter.Dial(ctx, ln.Addr().String(), cfg)
	check(err)
	server.conn = <-accepted
	check(ln.Close())
	return client, server, func() { check(client.adapter.Close()); check(server.adapter.Close()) }
}

func newExampleSide() *exampleSide {
	var s exampleSide
	var err error
	s.adapter, err = rdma.Open(context.Background(), "soft-loop", rdma.OpenConfig{})
	check(err)
	s.zone, err = s.adapter.NewZone()
	check(err)
	s.memory, err = s.zone.Alloc(4096, mem.All)
	check(err)
	return &s
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
