package rdma_test

import (
	"slices"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// TestLeaveWhileConnecting: Abort and BeginShutdown come when the adapter has established the connection, and
// the endpoint does not know it yet. The adapter looks at the attempt's context no more.
func TestLeaveWhileConnecting(t *testing.T) {
	abort, shutdown := (*rdma.Endpoint).Abort, (*rdma.Endpoint).BeginShutdown
	for name, c := range map[string]struct {
		calls []func(*rdma.Endpoint) error
		want  []bool
	}{
		"nobody leaves":     {nil, nil},
		"abruptly":          {[]func(*rdma.Endpoint) error{abort}, []bool{false}},
		"in order":          {[]func(*rdma.Endpoint) error{shutdown}, []bool{true}},
		"abruptly at last":  {[]func(*rdma.Endpoint) error{shutdown, abort}, []bool{false}},
		"abruptly at first": {[]func(*rdma.Endpoint) error{abort, shutdown}, []bool{false}},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOrders(t, false)
			o.f.connect = func(q *fakeQP) error {
				for _, call := range c.calls {
					must(t, call(o.e))
				}
				q.established()
				return nil
			}
			_, err := o.e.Connect(within(t), "anywhere", rdma.ConnConfig{})
			must(t, err)
			if got := o.f.qp.left; !slices.Equal(got, c.want) {
				t.Errorf("the adapter was told to disconnect %v, want %v (true: gracefully)", got, c.want)
			}
			o.f.qp.ended()
		})
	}
}
