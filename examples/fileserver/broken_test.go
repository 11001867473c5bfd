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
	withPeer(t, abortAfterRequests, func(c *client) {
		if err := c.get(t.Context(), "log", io.Discard); !errors.Is(err, rdma.ErrBroken) && !errors.Is(err, rdma.ErrDisconnected) {
			t.Errorf("%v, want how the connection has ended", err)
		}
	})
}

// abortAfterRequests is a server that goes away when it has all requests that a client sends at first.
func abortAfterRequests(ctx context.Context, _ *rdma.Zone, conn *rdma.Conn, requests *rdma.Inbox) error {
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
