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

// TestAPostBesideAModify: receives that another goroutine posts while their limit sinks below them are a matter of
// state, also if they come in the middle of the call. Each post is in the limit or is refused for it.
func TestAPostBesideAModify(t *testing.T) {
	s := newSide(t, usual, nil)
	at := s.attr()
	at.MaxRecvDTOS = 4
	for range 3000 {
		var ep dat.EPHandle
		ok(t, dat.EPCreate(s.ia, s.pz, s.recv, s.req, s.conn, &at, &ep))
		posts := make(chan dat.Return, 1)
		go func() {
			var ret dat.Return
			for range 4 {
				ret = max(ret, dat.EPPostRecv(ep, 1, s.mem.iov(0, 8), num(1), 0))
			}
			posts <- ret
		}()
		ret := dat.EPModify(ep, dat.EPFieldEPAttrMaxRecvDTOS, &dat.EPParam{EPAttr: dat.EPAttr{MaxRecvDTOS: 2, MaxRecvIOV: at.MaxRecvIOV}})
		if posted := <-posts; ret == dat.Success && posted.Type() != dat.InsufficientResources || ret != dat.Success && posted != dat.Success {
			t.Fatalf("EPModify: %v, and of four receives: %v", ret, posted)
		}
		if ret != dat.Success && ret.Type() != dat.InvalidState {
			t.Fatal(ret)
		}
		ok(t, dat.EPFree(ep))
	}
}
