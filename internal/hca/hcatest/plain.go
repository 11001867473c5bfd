package hcatest

import (
	"context"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

// PlainPosts wraps an adapter: of the requests that have a plain form, one in oneOf is
// posted in that form. With 1 all are, with 2 every other one, so that both kinds meet
// in one queue. The adapter's queue pairs must be hca.PlainPosters.
func PlainPosts(a hca.Adapter, oneOf uint32) hca.Adapter { return plainAdapter{a, oneOf} }

type plainAdapter struct {
	hca.Adapter
	oneOf uint32
}

func (a plainAdapter) NewQP(cfg hca.QPConfig) (hca.QP, error) {
	qp, err := a.Adapter.NewQP(cfg)
	if err != nil {
		return nil, err
	}
	return &plainQP{QP: qp, plain: qp.(hca.PlainPoster), oneOf: a.oneOf}, nil
}

func (a plainAdapter) Listen(ctx context.Context, cfg hca.ListenConfig) (hca.Listener, error) {
	if on := cfg.OnRequest; on != nil {
		cfg.OnRequest = func(r hca.ConnRequest) bool { return on(plainRequest{r}) }
	}
	return a.Adapter.Listen(ctx, cfg)
}

type plainRequest struct{ hca.ConnRequest }

func (r plainRequest) Accept(ctx context.Context, qp hca.QP, p hca.ConnParams) error {
	if w, ok := qp.(*plainQP); ok {
		qp = w.QP
	}
	return r.ConnRequest.Accept(ctx, qp, p)
}

type plainQP struct {
	hca.QP
	plain hca.PlainPoster
	oneOf uint32
	posts atomic.Uint32
}

func (q *plainQP) PostSend(wr hca.SendWR) error {
	if wr.More == nil && (wr.Op == hca.OpWrite || wr.Op == hca.OpSend) && q.posts.Add(1)%q.oneOf == 0 {
		if wr.Op == hca.OpWrite {
			return q.plain.PostPlainWrite(wr.ID, wr.Flags, wr.Local, wr.Remote, wr.RKey)
		}
		return q.plain.PostPlainSend(wr.ID, wr.Flags, wr.Local)
	}
	return q.QP.PostSend(wr)
}
