package main

import (
	"context"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// peer is a server of another program: it serves a client, whose requests come to an inbox.
type peer func(ctx context.Context, zone *rdma.Zone, conn *rdma.Conn, requests *rdma.Inbox) error

// accept lets the peer serve the client that asks for a connection.
func (serves peer) accept(ctx context.Context, adapter *rdma.Adapter, r *rdma.ConnRequest) error {
	zone, err := adapter.NewZone()
	if err != nil {
		return err
	}
	requests, err := zone.NewInbox(rdma.InboxConfig{Receives: pieces, Size: messageSize})
	if err != nil {
		return err
	}
	conn, err := r.Accept(ctx, rdma.EndpointConfig{Inbox: requests})
	if err != nil {
		return err
	}
	return serves(ctx, zone, conn, requests)
}

// withPeer has a client of that server used.
func withPeer(t *testing.T, serves peer, use func(c *client)) {
	ctx := t.Context()
	adapter, err := rdma.Open(ctx, "soft", rdma.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer adapter.Close()
	ln, err := adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	served := make(chan error, 1)
	go func() { served <- serves.accept(ctx, adapter, <-ln.Requests()) }()
	c, err := dial(ctx, adapter, ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	use(c)
	if err := <-served; err != nil {
		t.Error(err)
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
}

// withServer has a client of a server of this program used. The server ends only if use returns.
func withServer(ctx context.Context, t *testing.T, adapter, folder string, use func(c *client)) {
	a, err := rdma.Open(ctx, adapter, rdma.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	s, err := serve(ctx, a, "127.0.0.1:0", folder)
	if err != nil {
		t.Fatal(err)
	}
	c, err := dial(ctx, a, s.addr())
	if err != nil {
		t.Fatal(err)
	}
	use(c)
	if err := c.close(); err != nil {
		t.Error(err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}
