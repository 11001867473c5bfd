package rdma_test

import (
	"slices"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// TestEndpoints: the list has the endpoints that are not closed, in the order of their creation.
func TestEndpoints(t *testing.T) {
	a := open(t, "soft-loop")
	z, err := a.NewZone()
	if err != nil {
		t.Fatal(err)
	}
	var want []*rdma.Endpoint
	for range 20 {
		e, err := a.NewEndpoint(rdma.EndpointConfig{Zone: z})
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, e)
	}
	if got := a.Endpoints(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for i := 1; i < len(want); i++ {
		if want[i].Number() <= want[i-1].Number() {
			t.Errorf("numbers %d and %d", want[i-1].Number(), want[i].Number())
		}
	}
	want[3].Close()
	if got := a.Endpoints(); len(got) != 19 || slices.Contains(got, want[3]) {
		t.Errorf("a closed endpoint is listed: %v", got)
	}
}
