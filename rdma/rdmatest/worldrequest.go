package rdmatest

import (
	"context"
	"crypto/tls"

	"github.com/godapl/godapl/internal/hca"
)

// worldRequest accepts with the queue pair below.
type worldRequest struct{ hca.ConnRequest }

func (a *worldAdapter) Listen(ctx context.Context, cfg hca.ListenConfig) (hca.Listener, error) {
	deliver := cfg.OnRequest
	cfg.OnRequest = func(r hca.ConnRequest) bool { return deliver(worldRequest{r}) }
	return a.adapter.Listen(ctx, cfg)
}

func (r worldRequest) Accept(ctx context.Context, q hca.QP, p hca.ConnParams) error {
	if w, ok := q.(*worldQP); ok {
		q = w.QP
	}
	return r.ConnRequest.Accept(ctx, q, p)
}

// OnLeave implements hca.Leaver.
func (r worldRequest) OnLeave(f func()) {
	if l, ok := r.ConnRequest.(hca.Leaver); ok {
		l.OnLeave(f)
	}
}

// TLS implements hca.Secured.
func (r worldRequest) TLS() *tls.ConnectionState {
	if s, ok := r.ConnRequest.(hca.Secured); ok {
		return s.TLS()
	}
	return nil
}
