package verbs

import (
	"sync"
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// A queue pair that cannot be connected leaves the request as it is: a call that rejects it meanwhile
// succeeds, and nothing is kept of it.
func TestAcceptWithUsedQueuePair(t *testing.T) {
	a := &adapter{lib: mute(t), requests: map[*request]struct{}{}}
	a.cm = &cm{lib: a.lib}
	used := &qp{ad: a, state: over}
	for range 3000 {
		r := &request{ad: a, id: &cmID{cm: a.cm}}
		a.requests[r] = struct{}{}
		var both sync.WaitGroup
		begun := make(chan struct{})
		both.Go(func() {
			for i := range 100 {
				if r.Accept(t.Context(), used, hca.ConnParams{}) == nil {
					t.Error("accepted with a queue pair that had a connection")
				}
				if i == 0 {
					close(begun)
				}
			}
		})
		<-begun
		if err := r.Reject(nil); err != nil {
			t.Errorf("rejecting: %v", err)
		}
		both.Wait()
		if len(a.requests) > 0 {
			t.Fatal("a request that was rejected is still kept")
		}
	}
}
