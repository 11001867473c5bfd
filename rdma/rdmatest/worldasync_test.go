package rdmatest

import (
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma"
)

// TestAsyncOfNothingIsNotCounted: nobody is told, so it has not happened.
func TestAsyncOfNothingIsNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWorld(t, 1)
		h := w.Host("h")
		async := func(kind rdma.AsyncKind, want int, when string) {
			before := w.Fired()["async "+kind.String()]
			h.Async(kind)
			if n := w.Fired()["async "+kind.String()] - before; n != want {
				t.Errorf("%s, %v is counted %d times, want %d", when, kind, n, want)
			}
		}
		async(rdma.AsyncPortDown, 0, "without an adapter")
		async(rdma.AsyncOverflow, 0, "without an adapter")
		a, err := h.Open(w.Context(), rdma.OpenConfig{})
		check(t, err)
		async(rdma.AsyncPortDown, 1, "with an adapter")
		async(rdma.AsyncOverflow, 0, "without an endpoint")
		check(t, a.Close())
		async(rdma.AsyncAdapterFailed, 0, "with a closed adapter")
		c, _ := w.Pair(h, w.Host("other"))
		e := c.Endpoint()
		adapter := c.Zone().Adapter()
		async(rdma.AsyncOverflow, 1, "with an endpoint")
		check(t, e.Close())
		async(rdma.AsyncOverflow, 0, "with a closed endpoint")
		var told []rdma.AsyncError
		for ev, err := adapter.Async().Dequeue(); err == nil; ev, err = adapter.Async().Dequeue() {
			told = append(told, ev)
		}
		if len(told) != 1 || told[0].CompletionQueue == nil {
			t.Errorf("told were %v", told)
		}
	})
}
