package rdmatest

import (
	"context"
	"net"

	"github.com/godapl/godapl/internal/hca/soft/core"
)

// ListenRaw listens for streams of the world, for a peer that is not of this library.
func (h *Host) ListenRaw(ctx context.Context, at string) (net.Listener, error) {
	return (&fabric{h}).Listen(ctx, at)
}

// IsOf reports whether the queue pair is of the host, and of the stream whose dialer has that address.
func IsOf(q *core.QP, h *Host, dialer string) bool {
	w, ok := q.Owner.(*worldQP)
	if !ok || w.a.h != h {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.name == dialer
}
