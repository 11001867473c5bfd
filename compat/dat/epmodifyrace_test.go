package dat_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestModifyNeverLeavesItsDispatchers: while an endpoint is modified it feeds its dispatchers: they cannot be freed, and
// no other endpoint with other completion flags can join them.
func TestModifyNeverLeavesItsDispatchers(t *testing.T) {
	s := newSide(t, usual, nil)
	other := s.attr()
	other.RequestCompletionFlags = dat.CompletionUnsignalledFlag
	var all sync.WaitGroup
	var enough atomic.Bool
	for _, refused := range []func() dat.Return{
		func() dat.Return { return dat.EVDFree(s.conn) },
		func() dat.Return { return dat.EVDFree(s.req) },
		func() dat.Return {
			var ep dat.EPHandle
			return dat.EPCreate(s.ia, s.pz, dat.HandleNull, s.req, dat.HandleNull, &other, &ep)
		},
	} {
		all.Go(func() {
			for !enough.Load() {
				if ret := refused(); ret == dat.Success {
					t.Error("the endpoint has left its dispatcher for a moment")
					return
				}
			}
		})
	}
	p := dat.EPParam{PZHandle: s.pz, RequestEVDHandle: s.req}
	for range 5000 {
		if ret := dat.EPModify(s.ep, dat.EPFieldPZHandle|dat.EPFieldRequestEVDHandle, &p); ret != dat.Success {
			t.Error(ret)
			break
		}
	}
	enough.Store(true)
	all.Wait()
}
