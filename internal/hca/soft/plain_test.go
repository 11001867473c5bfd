package soft_test

import (
	"context"
	"sync"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/hcatest"
	"github.com/godapl/godapl/internal/hca/soft"
)

// TestPlainPostsConform runs the suite with every request that can be posted in
// the plain form posted so.
func TestPlainPostsConform(t *testing.T) {
	for _, path := range []string{"loop", "tcp"} {
		d := soft.Driver(path)
		t.Run(path, func(t *testing.T) {
			hcatest.Run(t, hcatest.Harness{
				Name: d.Names()[0],
				Open: func(t hcatest.TB, opt hca.Options) hca.Adapter {
					a, err := d.Open(context.Background(), d.Names()[0], opt)
					if err != nil {
						t.Fatalf("open: %v", err)
					}
					return plainAdapter{a}
				},
				NoAllocations: true,
			})
		})
	}
}

type plainAdapter struct{ hca.Adapter }

func (a plainAdapter) NewQP(cfg hca.QPConfig) (hca.QP, error) {
	qp, err := a.Adapter.NewQP(cfg)
	if err != nil {
		return nil, err
	}
	return &plainQP{qp, qp.(hca.PlainPoster)}, nil
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
	hca.PlainPoster
}

func (q *plainQP) PostSend(wr hca.SendWR) error {
	switch {
	case wr.More != nil:
	case wr.Op == hca.OpWrite:
		return q.PostPlainWrite(wr.ID, wr.Flags, wr.Local, wr.Remote, wr.RKey)
	case wr.Op == hca.OpSend:
		return q.PostPlainSend(wr.ID, wr.Flags, wr.Local)
	}
	return q.QP.PostSend(wr)
}

// TestFullQueuesKeepStep has a completion queue exactly as deep as the queues
// that feed it. Whoever finds room to post must find room for the entry, though
// another goroutine polls.
func TestFullQueuesKeepStep(t *testing.T) {
	const depth, writes = 2, 200_000
	x, y := connect(t, "loop", depth, 4096)
	var wg sync.WaitGroup
	wg.Go(func() {
		seg := hca.Segment{Addr: x.mr.Addr(), Len: 8, Key: x.mr.LKey()}
		for i := uint64(0); i < writes; {
			switch err := x.qp.(hca.PlainPoster).PostPlainWrite(i, 0, seg, y.mr.Addr(), y.mr.RKey()); err {
			case nil:
				i++
			default:
				if err.(*hca.Error).Code != hca.QueueFull {
					t.Error(err)
					return
				}
			}
		}
	})
	var wc [depth]hca.WC
	for next := uint64(0); next < writes && !t.Failed(); {
		for _, c := range wc[:x.scq.Poll(wc[:])] {
			if c.ID != next || c.Status != hca.StatusOK {
				t.Fatalf("entry %d, %v, where %d was due", c.ID, c.Status, next)
			}
			next++
		}
	}
	wg.Wait()
}
