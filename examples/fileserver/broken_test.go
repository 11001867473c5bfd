package main

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// TestBroken: the client says why there was no answer, and not that its receive was flushed.
func TestBroken(t *testing.T) {
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
	go func() { served <- abortAfterRequests(ctx, adapter, <-ln.Requests()) }()
	c, err := dial(ctx, adapter, ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.get(ctx, "log", io.Discard); !errors.Is(err, rdma.ErrBroken) && !errors.Is(err, rdma.ErrDisconnected) {
		t.Errorf("%v, want how the connection has ended", err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
}

// abortAfterRequests is a server that goes away when it has all requests that a client sends at first.
func abortAfterRequests(ctx context.Context, adapter *rdma.Adapter, r *rdma.ConnRequest) error {
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
	for range pieces {
		m, _, err := requests.Messages().Wait(ctx, 1)
		if err != nil {
			return err
		}
		m.Release()
	}
	conn.Abort()
	return nil
}
