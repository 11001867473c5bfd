package rdma_test

import (
	"context"
	"errors"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma"
)

// fakeRequest is a request whose Accept fails as that of an adapter does with a queue pair which was closed
// meanwhile: the peer is not answered.
type fakeRequest struct {
	hca.ConnRequest
	rejected int
}

func (*fakeRequest) Remote() string  { return "fake:2" }
func (*fakeRequest) Private() []byte { return nil }
func (*fakeRequest) Accept(context.Context, hca.QP, hca.ConnParams) error {
	return hca.NewError(hca.Closed, "accept", "request", "the queue pair has been closed")
}

func (r *fakeRequest) Reject([]byte) error {
	r.rejected++
	return nil
}

// TestFailedAcceptAnswers: a peer whose request cannot be accepted gets to know it. It would wait for the
// answer until its own limit.
func TestFailedAcceptAnswers(t *testing.T) {
	f := &fake{}
	a := openFake(t, f)
	zone, err := a.NewZone()
	must(t, err)
	ln, err := a.Listen(within(t), "fake:1", rdma.ListenConfig{})
	must(t, err)
	defer ln.Close()
	r := &fakeRequest{}
	if !f.listens.OnRequest(r) {
		t.Fatal("the listener takes no request")
	}
	_, err = (<-ln.Requests()).Accept(within(t), rdma.EndpointConfig{Zone: zone})
	if !errors.Is(err, rdma.ErrClosed) {
		t.Errorf("%v, want ErrClosed", err)
	}
	if r.rejected != 1 {
		t.Errorf("the peer was answered %d times, want once", r.rejected)
	}
}
