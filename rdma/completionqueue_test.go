package rdma_test

import (
	"errors"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma"
)

// TestDepthOfACompletionQueue creates queues with the configuration's zero value, beside the adapter's limit.
func TestDepthOfACompletionQueue(t *testing.T) {
	for _, c := range []struct {
		limit, depth, want int // want 0: ErrInvalid
	}{
		{1 << 20, 0, 256},
		{100, 0, 100},
		{100, 99, 99},
		{100, 101, 0},
		{100, -1, 0},
	} {
		f := &fake{attr: hca.Attr{MaxCQE: c.limit}}
		q, err := openFake(t, f).NewCompletionQueue(rdma.CompletionQueueConfig{Depth: c.depth})
		switch {
		case c.want == 0:
			if !errors.Is(err, rdma.ErrInvalid) {
				t.Errorf("depth %d, limit %d: %v", c.depth, c.limit, err)
			}
			continue
		case err != nil:
			t.Errorf("depth %d, limit %d: %v", c.depth, c.limit, err)
			continue
		}
		if got := f.cqs[0].cfg.Depth; got != c.want {
			t.Errorf("depth %d, limit %d: a queue of %d, want %d", c.depth, c.limit, got, c.want)
		}
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	}
}
