package dat_test

import (
	"runtime"
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestAnUnwaitableMomentEndsTheWait: EVDSetUnwaitable ends the wait that it finds, however soon
// EVDClearUnwaitable follows. Programs send a waiting thread away so.
func TestAnUnwaitableMomentEndsTheWait(t *testing.T) {
	ia, _ := open(t, usual)
	for _, flags := range []dat.EVDFlags{dat.EVDSoftwareFlag, dat.EVDSoftwareFlag | dat.EVDDTOFlag} {
		h := evd(t, ia, 4, flags)
		for range 100 {
			done := make(chan dat.Return)
			go func() {
				var ev dat.Event
				var more dat.Count
				done <- dat.EVDWait(h, second/10, 1, &ev, &more)
			}()
			for {
				var ev dat.Event
				if ret := dat.EVDDequeue(h, &ev); ret.Type() == dat.InvalidState {
					break // it waits
				}
				runtime.Gosched()
			}
			ok(t, dat.EVDSetUnwaitable(h))
			ok(t, dat.EVDClearUnwaitable(h))
			want(t, <-done, dat.InvalidState, dat.InvalidStateEVDUnwaitable)
		}
	}
}
