package debug

import (
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestIdleIsNotStuck: how long a protocol waits is not how long the connection was idle before.
func TestIdleIsNotStuck(t *testing.T) {
	a, _ := rdmatest.Pair(t)
	v := &viewer{adapters: []*rdma.Adapter{a.Endpoint().Adapter()}}
	waits := ""
	a.Endpoint().Describe(func() rdma.Description { return rdma.Description{Waits: waits} })
	t0 := time.Now()
	for _, x := range []struct {
		after       time.Duration
		waits, note string
	}{
		{0, "", ""},
		{time.Hour, "a call waits", "a call waits"},
		{time.Hour + 5*time.Second, "a call waits", "stuck for 5s: a call waits"},
		{time.Hour + 6*time.Second, "", ""},
		{2 * time.Hour, "another call waits", "another call waits"},
	} {
		waits = x.waits
		c := v.take(t0.Add(x.after)).Conns[0]
		if c.Note != x.note || c.Idle != x.after {
			t.Errorf("after %v: %q, idle for %v; want %q", x.after, c.Note, c.Idle, x.note)
		}
	}
}
