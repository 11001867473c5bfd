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
	withPeer(t, answerWith(10, 20, 30, 0), func(c *client) {
		var got bytes.Buffer
		if err := c.get(t.Context(), "log", &got); err != nil || got.Len() != 10 {
			t.Errorf("%v, %d bytes, want 10", err, got.Len())
		}
	})
}

// answerWith is a server that answers requests with pieces of these sizes.
func answerWith(sizes ...int) peer {
	return func(ctx context.Context, zone *rdma.Zone, conn *rdma.Conn, requests *rdma.Inbox) error {
		piece, err := zone.Alloc(pieceSize, mem.Local)
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
}
