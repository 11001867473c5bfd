package rdma_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma"
)

type nopQP struct{ *fakeQP }

func BenchmarkZZLayer(b *testing.B) {
	t := &testing.T{}
	_ = t
	f := &fake{}
	defer rdma.RegisterDriver(f)()
	a, _ := rdma.Open(b.Context(), fakeName)
	z, _ := a.NewZone()
	q, _ := a.NewCompletionQueue(64)
	e, _ := a.NewEndpoint(rdma.EndpointConfig{Zone: z, Requests: q})
	f.connect = func(q *fakeQP) error { q.established(); return nil }
	e.Connect(b.Context(), "x:1", nil)
	own := f.qp.cfg.Owner
	cq := f.qp.cfg.SendCQ.(*fakeCQ)
	b.Run("post", func(b *testing.B) {
		for range b.N {
			f.qp.sent = f.qp.sent[:0]
			e.PostWrite(rdma.Write{})
		}
	})
	for _, n := range []int{1, 16} {
		wcs := make([]hca.WC, n)
		for i := range wcs {
			wcs[i].Owner = own
		}
		done := make([]rdma.Completion, n)
		b.Run("poll", func(b *testing.B) {
			for i := 0; i < b.N; i += n {
				cq.wcs = wcs
				q.Dispatcher().Poll(done)
			}
		})
	}
}
