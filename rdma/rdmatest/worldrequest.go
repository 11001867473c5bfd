package rdmatest

import (
	"context"

	"github.com/godapl/godapl/internal/hca"
)

// worldRequest accepts with the queue pair below.
type worldRequest struct{ request }

func (a *worldAdapter) Listen(ctx context.Context, cfg hca.ListenConfig) (hca.Listener, error) {
	if deliver := cfg.OnRequest; deliver != nil {
		cfg.OnRequest = func(r hca.ConnRequest) bool { return deliver(worldRequest{r.(request)}) }
	}
	return a.adapter.Listen(ctx, cfg)
}

func (r worldRequest) Accept(ctx context.Context, q hca.QP, p hca.ConnParams) error {
	w, ok := q.(*worldQP)
	if !ok {
		return r.request.Accept(ctx, q, p)
	}
	err := r.request.Accept(ctx, w.QP, p)
	if err != nil {
		w.hurry()
	}
	return err
}
