package dat_test

import (
	"sync"
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// Of two service points that are made at the same time with the same qualifier, one is refused. A qualifier of more
// than 16 bits has several ports of TCP, each of which would take one of them.
func TestTwoListenAtTheSameTime(t *testing.T) {
	first, second := newSide(t, "soft-tcp", nil), newSide(t, "soft-tcp", nil)
	for _, sides := range [][2]*side{{first, second}, {first, first}} {
		for range 50 {
			qual := service(usual) // of more than 16 bits, unless on a device
			var psps [2]dat.PSPHandle
			var got [2]dat.Return
			var both sync.WaitGroup
			for i, s := range sides {
				both.Go(func() { got[i] = dat.PSPCreate(s.ia, qual, s.cr, dat.PSPConsumerFlag, &psps[i]) })
			}
			both.Wait()
			if got[0] != dat.Success {
				got[0], got[1], psps[0] = got[1], got[0], psps[1]
			}
			ok(t, got[0])
			want(t, got[1], dat.ConnQualInUse)
			ok(t, dat.PSPFree(psps[0]))
		}
	}
}
