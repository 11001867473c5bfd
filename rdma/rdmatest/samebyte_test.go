package rdmatest_test

import (
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestPlansOfOneByte: all that is planned for a byte happens at it, in the order of the calls, also if no byte can
// come behind the first.
func TestPlansOfOneByte(t *testing.T) {
	for name, first := range map[string]func(l *rdmatest.Link, when rdmatest.When) *rdmatest.Link{
		"partition": (*rdmatest.Link).Partition,
		"cut":       (*rdmatest.Link).Cut,
		"end":       (*rdmatest.Link).End,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, l, a, _, ra, rb := pairIn(t, 1, 64)
				w.Settle()
				first(l, rdmatest.AtByte(10)).Heal(rdmatest.AtByte(10))
				_, err := a.Read(w.Context(), ra, rb.Remote())
				if passed := name == "partition"; passed != (err == nil) {
					t.Errorf("the read: %v", err)
				}
				if fired := w.Fired(); fired[name] != 1 || fired["heal"] != 1 {
					t.Errorf("what happened: %v", fired)
				}
			})
		})
	}
}
