package rdmatest_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestRestartWaitsForTheKill: a host whose program takes long to end begins its next life behind that, and no Kill waits
// for the programs of the next life.
func TestRestartWaitsForTheKill(t *testing.T) {
	rdmatest.Worlds(t, 1, func(t *testing.T, w *rdmatest.World) {
		h := w.Host("a")
		var running, lives atomic.Int32
		h.Run(func(ctx context.Context) {
			if n := running.Add(1); n != 1 {
				t.Errorf("%d lives at a time", n)
			}
			lives.Add(1)
			<-ctx.Done()
			<-time.After(time.Minute) // of the world
			running.Add(-1)
		})
		w.Settle()
		killed := make(chan struct{})
		go func() { h.Kill(); close(killed) }()
		<-time.After(time.Second) // of the world
		h.Restart()
		<-killed
		w.Settle()
		if n := lives.Load(); n != 2 {
			t.Errorf("%d lives have begun, want 2", n)
		}
	})
}

// lookedAt is a context that calls do when somebody looks at it for the first time.
type lookedAt struct {
	context.Context
	do func()
}

func (c *lookedAt) Err() error {
	if do := c.do; do != nil {
		c.do = nil
		do()
	}
	return c.Context.Err()
}

// TestOpenBesideKill: an adapter that is being opened when its host is killed does not outlive that.
func TestOpenBesideKill(t *testing.T) {
	rdmatest.Worlds(t, 1, func(t *testing.T, w *rdmatest.World) {
		h := w.Host("a")
		if a, err := h.Open(&lookedAt{t.Context(), h.Kill}, rdma.OpenConfig{}); !errors.Is(err, rdma.ErrUnreachable) {
			t.Errorf("%v, %v; want ErrUnreachable", a, err)
		}
	})
}
