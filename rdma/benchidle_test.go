package rdma_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// BenchmarkCallAmongIdle is a call of one client, while so many others of the server's inbox are idle.
func BenchmarkCallAmongIdle(b *testing.B) {
	for _, path := range []string{"soft-tcp", "soft-shm"} {
		for _, idle := range []int{0, 10, 300, 3000} {
			if path == "soft-shm" && idle > 300 {
				continue // address space: see the page on limits
			}
			b.Run(fmt.Sprintf("%s/%d", path, idle), func(b *testing.B) { benchAmongIdle(b, path, idle) })
		}
	}
}

func benchAmongIdle(b *testing.B, path string, idle int) {
	client, server := newSide(b, path), newSide(b, path)
	inbox, err := server.zone.NewInbox(rdma.InboxConfig{Size: 64})
	if err != nil {
		b.Fatal(err)
	}
	ln := listen(b, server.adapter)
	defer ln.Close()
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	served := make(chan error, 1)
	go func() { served <- echoes(ctx, ln, inbox, idle+1) }()
	dial := func() *rdma.Conn {
		conn, err := client.adapter.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: client.zone, SendDepth: 1, RecvDepth: 1})
		if err != nil {
			b.Fatal(err)
		}
		return conn
	}
	for range idle {
		dial()
	}
	client.conn = dial()
	from, to := client.mem.Slice(0, 64), client.mem.Slice(64, 64)
	call := func() {
		if err := client.conn.PostRecv(rdma.Recv{Into: to}); err != nil {
			b.Fatal(err)
		}
		if err := client.conn.Send(ctx, from); err != nil {
			b.Fatal(err)
		}
		if done, _, err := client.conn.RecvCompletions().Wait(ctx, 1); err != nil || done.Err() != nil {
			b.Fatal(err, done.Err())
		}
	}
	call()
	for b.Loop() {
		call()
	}
	stop()
	if err := <-served; !errors.Is(err, rdma.ErrCanceled) {
		b.Fatal(err)
	}
}

// echoes accepts so many clients, and sends each message back, until the context ends.
func echoes(ctx context.Context, ln *rdma.Listener, inbox *rdma.Inbox, clients int) error {
	for range clients {
		req, ok := <-ln.Requests()
		if !ok {
			return errors.New("no request came")
		}
		if _, err := req.Accept(ctx, rdma.EndpointConfig{Inbox: inbox, SendDepth: 1, ReadsOut: -1, ReadsIn: -1}); err != nil {
			return err
		}
	}
	for messages, err := range inbox.Messages().Drain(ctx, make([]rdma.Message, 16)) {
		if err != nil {
			return err
		}
		for _, m := range messages {
			if err := m.Err(); err != nil {
				return err
			}
			if err := m.Endpoint.Conn().Send(ctx, m.Slice()); err != nil {
				return err
			}
			m.Release()
		}
	}
	return nil
}
