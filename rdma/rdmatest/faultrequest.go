package rdmatest

import (
	"context"
	"crypto/tls"

	"github.com/godapl/godapl/internal/hca"
)

// request is a connection request whose Accept can fail, and takes the queue pair below.
type request struct {
	hca.ConnRequest
	a *adapter
}

// Accept implements hca.ConnRequest. One that fails ends the queue pair, and the peer learns of it.
func (r request) Accept(ctx context.Context, q hca.QP, p hca.ConnParams) error {
	if w, ok := q.(*faultQP); ok {
		q = w.QP
	}
	if err := r.a.faults.of(Accept); err != nil {
		_ = r.ConnRequest.Accept(nobody(), q, p)
		return err
	}
	return r.ConnRequest.Accept(ctx, q, p)
}

// OnLeave implements hca.Leaver.
func (r request) OnLeave(f func()) {
	if l, ok := r.ConnRequest.(hca.Leaver); ok {
		l.OnLeave(f)
	}
}

// TLS implements hca.Secured.
func (r request) TLS() *tls.ConnectionState {
	if s, ok := r.ConnRequest.(hca.Secured); ok {
		return s.TLS()
	}
	return nil
}
