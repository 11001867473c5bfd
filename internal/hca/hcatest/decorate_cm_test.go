package hcatest_test

import (
	"context"

	"github.com/godapl/godapl/internal/hca"
)

func (a *adapter) Listen(ctx context.Context, cfg hca.ListenConfig) (hca.Listener, error) {
	if f := cfg.OnRequest; f != nil {
		cfg.OnRequest = func(r hca.ConnRequest) bool { return f(&connRequest{r, a.d}) }
	}
	if a.d.listen != nil {
		return a.d.listen(ctx, a.Adapter, cfg)
	}
	return a.Adapter.Listen(ctx, cfg)
}

type connRequest struct {
	hca.ConnRequest
	d *defect
}

func (r *connRequest) Private() []byte {
	if r.d.private != nil {
		return r.d.private(r.ConnRequest)
	}
	return r.ConnRequest.Private()
}

func (r *connRequest) Accept(ctx context.Context, q hca.QP, p hca.ConnParams) error {
	if w, ok := q.(*qp); ok {
		q = w.QP
	}
	if r.d.accept != nil {
		return r.d.accept(ctx, r.ConnRequest, q, p)
	}
	return r.ConnRequest.Accept(ctx, q, p)
}

func (r *connRequest) Reject(private []byte) error {
	if r.d.reject != nil {
		return r.d.reject(r.ConnRequest, private)
	}
	return r.ConnRequest.Reject(private)
}

func (r *connRequest) OnLeave(f func()) {
	l := r.ConnRequest.(hca.Leaver)
	if r.d.leave != nil {
		r.d.leave(l, f)
		return
	}
	l.OnLeave(f)
}
