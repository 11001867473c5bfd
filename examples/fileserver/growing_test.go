package main

import (
	"bytes"
	"context"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// TestAGrowingFile: the copy ends where the file has ended once, also if the server finds more behind it
// a moment later.
func TestAGrowingFile(t *testing.T) {
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
	go func() { served <- answerWith(ctx, adapter, <-ln.Requests(), 10, 20, 30, 0) }()
	c, err := dial(ctx, adapter, ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := c.get(ctx, "log", &got); err != nil || got.Len() != 10 {
		t.Errorf("%v, %d bytes, want 10", err, got.Len())
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
}

// answerWith answers requests with pieces of these sizes.
func answerWith(ctx context.Context, adapter *rdma.Adapter, r *rdma.ConnRequest, sizes ...int) error {
	zone, err := adapter.NewZone()
	if err != nil {
		return err
	}
	piece, err := zone.Alloc(pieceSize, mem.Local)
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
	for _, n := range sizes {
		m, _, err := requests.Messages().Wait(ctx, 1)
		if err != nil {
			return err
		}
		var r request
		if err := r.unmarshal(m.Bytes()); err != nil {
			return err
		}
		m.Release()
		err = conn.PostWrite(rdma.Write{From: piece.Slice(0, n), To: r.to.Slice(0, n), Immediate: uint32(n), Flags: rdma.WithImmediate})
		if err != nil {
			return err
		}
	}
	return nil
}
