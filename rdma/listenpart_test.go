package rdma_test

import (
	"context"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma"
)

// partial is an adapter whose listeners fail after a part of them has taken a request.
type partial struct {
	fake
	took chan bool
}

func (f *partial) Open(context.Context, string, hca.Options) (hca.Adapter, error) { return f, nil }

func (f *partial) Listen(_ context.Context, cfg hca.ListenConfig) (hca.Listener, error) {
	go func() { f.took <- cfg.OnRequest(partRequest{}) }()
	return nil, hca.NewError(hca.ServiceInUse, "listen", cfg.Address, "of another part")
}

type partRequest struct{ hca.ConnRequest }

func (partRequest) Local() string  { return "fake:1" }
func (partRequest) Remote() string { return "fake:2" }

// TestAListenerThatFailedTakesNoRequest: the request of its part is refused, and the program does not see it.
func TestAListenerThatFailedTakesNoRequest(t *testing.T) {
	f := &partial{took: make(chan bool)}
	t.Cleanup(rdma.RegisterDriver(f))
	a, err := rdma.Open(within(t), fakeName, rdma.OpenConfig{})
	must(t, err)
	defer a.Close()
	for _, sink := range []*rdma.Sink[rdma.ConnRequest]{nil, rdma.SinkFunc(func(r *rdma.ConnRequest) bool {
		t.Error("a request of a listener that there is not: ", r.Listener().Addr())
		return true
	})} {
		if _, err := a.Listen(within(t), "fake:1", rdma.ListenConfig{Sink: sink}); err == nil {
			t.Fatal("no error")
		}
		if <-f.took {
			t.Error("the request was taken")
		}
	}
}
