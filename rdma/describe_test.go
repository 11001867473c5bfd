package rdma_test

import (
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestDescribe: an endpoint has a description while it is connected, until it is taken back.
func TestDescribe(t *testing.T) {
	a, b := rdmatest.Pair(t)
	want := rdma.Description{State: "fine", Waits: "for nothing"}
	tell := func() rdma.Description { return want }
	a.Endpoint().Describe(tell)
	if got := a.Endpoint().Description(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := b.Endpoint().Description(); got != (rdma.Description{}) {
		t.Errorf("%+v, and nobody has described it", got)
	}
	a.Endpoint().Describe(nil)
	if got := a.Endpoint().Description(); got != (rdma.Description{}) {
		t.Errorf("%+v, and the description was taken back", got)
	}
	a.Endpoint().Describe(tell)
	must(t, a.Close())
	if got := a.Endpoint().Description(); got != (rdma.Description{}) {
		t.Errorf("%+v of an endpoint whose connection has ended", got)
	}
}
