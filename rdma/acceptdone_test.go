package rdma_test

import (
	"context"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// TestAContextThatIsDoneAtTheCall: ConnectAsync reports it to done. AcceptAsync returns it, so that the program may still
// answer the request.
func TestAContextThatIsDoneAtTheCall(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		active, passive := newSide(t, name), newSide(t, name)
		over, cancel := context.WithCancel(t.Context())
		cancel()
		early, err := active.adapter.NewEndpoint(rdma.EndpointConfig{Zone: active.zone})
		must(t, err)
		told := make(chan error, 1)
		must(t, early.ConnectAsync(over, "127.0.0.1:1", rdma.ConnConfig{}, func(_ *rdma.Conn, err error) { told <- err }))
		wantCode(t, <-told, rdma.ErrCanceled, "ConnectAsync")

		e, err := active.adapter.NewEndpoint(rdma.EndpointConfig{Zone: active.zone})
		must(t, err)
		req, _, done := asked(t, name, active, passive, e, within(t))
		other, err := passive.adapter.NewEndpoint(rdma.EndpointConfig{Zone: passive.zone})
		must(t, err)
		err = req.AcceptAsync(over, other, rdma.ConnConfig{}, func(*rdma.Conn, error) { t.Error("done was called") })
		wantCode(t, err, rdma.ErrCanceled, "AcceptAsync")
		if s := other.State(); s != rdma.StateUnconnected {
			t.Errorf("the endpoint is %v", s)
		}
		_, err = req.AcceptOn(within(t), other, rdma.ConnConfig{})
		must(t, err)
		must(t, (<-done).err)
	})
}
