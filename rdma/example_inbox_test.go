package rdma_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/godapl/godapl/rdma"
)

// A server of any number of clients: one loop accepts them, one takes their messages.
func ExampleInbox() {
	ctx, cancel := context.WithCancel(context.Background())
	server, client := newExampleSide(), newExampleSide()
	defer server.adapter.Close()
	defer client.adapter.Close()
	inbox, err := server.zone.NewInbox(rdma.InboxConfig{Receives: 64, Size: 1024})
	check(err)
	ln, err := server.adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	check(err)
	accepting := make(chan error)
	go func() {
		for _, err := range ln.AcceptAll(ctx, rdma.EndpointConfig{Inbox: inbox}) {
			if err != nil {
				accepting <- err
			}
		}
	}()
	for range 3 {
		conn, err := client.adapter.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: client.zone})
		check(err)
		check(conn.Send(ctx, client.memory.Slice(0, copy(client.memory.Bytes(), "hello"))))
	}
	messages := inbox.Messages().C()
	for range 3 {
		m := <-messages
		fmt.Printf("%s %v\n", m.Bytes(), m.Err())
		m.Release() // it is a posted receive again
	}
	cancel()
	fmt.Println(errors.Is(<-accepting, rdma.ErrCanceled))
	// Output:
	// hello <nil>
	// hello <nil>
	// hello <nil>
	// true
}

func ExampleInboxConfig() {
	s := newExampleSide()
	defer s.adapter.Close()
	inbox, err := s.zone.NewInbox(rdma.InboxConfig{Size: 64})
	check(err)
	e, err := s.adapter.NewEndpoint(rdma.EndpointConfig{Inbox: inbox})
	check(err)
	fmt.Println(inbox.Messages().Cap(), e.Zone() == s.zone)
	// Output: 256 true
}

func ExampleMessage() {
	ctx := context.Background()
	server, client := newExampleSide(), newExampleSide()
	defer server.adapter.Close()
	defer client.adapter.Close()
	inbox, err := server.zone.NewInbox(rdma.InboxConfig{Receives: 4})
	check(err)
	ln, err := server.adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	check(err)
	go func() {
		conn, err := client.adapter.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: client.zone})
		check(err)
		check(conn.Send(ctx, client.memory.Slice(0, copy(client.memory.Bytes(), "ping"))))
	}()
	_, err = (<-ln.Requests()).Accept(ctx, rdma.EndpointConfig{Inbox: inbox})
	check(err)
	m, _, err := inbox.Messages().Wait(ctx, 1)
	check(err)
	fmt.Printf("%s, %v, %d of %d bytes\n", m.Bytes(), m.Op, m.Length, m.Room().Len())
	m.Release()
	fmt.Println(m.Bytes() == nil)
	// Output:
	// ping, receive, 4 of 4096 bytes
	// true
}
