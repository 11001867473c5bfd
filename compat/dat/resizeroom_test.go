package dat_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestASmallerDispatcherDoesNotOverflow: completions that are not taken may exceed max_request_dtos, up to the room
// of the dispatcher. After EVDResize that is the new room: further requests are refused, and no event is lost.
func TestASmallerDispatcherDoesNotOverflow(t *testing.T) {
	softOnly(t, "the queue of a device overflows, or is larger than asked for")
	paths(t, func(t *testing.T, name string) {
		passive, active := pair(t, name)
		const qlen, large = 64, 256
		if n := active.attr().MaxRequestDTOS; n >= qlen {
			t.Fatalf("%d requests fit at a time: nothing to see here", n)
		}
		post := func(i int) dat.Return {
			return dat.EPPostRDMAWrite(active.ep, 1, active.mem.iov(0, 8), num(uint64(i)), passive.mem.remote(0, 8), 0)
		}
		for _, n := range []dat.Count{large, qlen, large, qlen} {
			ok(t, dat.EVDResize(active.req, n))
			for i := range int(n) {
				ok(t, room(func() dat.Return { return post(i) }))
			}
			want(t, post(int(n)), dat.InsufficientResources)
			for i := range int(n) {
				if d := completion(t, active.req, dat.DTOSuccess); d.UserCookie.As64 != uint64(i) {
					t.Fatalf("event %d is %+v", i, d)
				}
			}
			empty(t, active.req)
		}
		empty(t, active.conn)
		empty(t, active.async)
	})
}

// TestADispatcherResizedBesidePosts: requests are posted and their events taken, while the dispatcher becomes longer
// and shorter, with room for the endpoint's requests at any time. No event is lost, and none comes twice.
func TestADispatcherResizedBesidePosts(t *testing.T) {
	softOnly(t, "not every device resizes")
	paths(t, func(t *testing.T, name string) {
		passive, active := pair(t, name)
		shortest, total := active.attr().MaxRequestDTOS, rounds(20_000, 0)
		var stop atomic.Bool
		var resizer sync.WaitGroup
		defer resizer.Wait()
		defer stop.Store(true)
		resizer.Go(func() {
			for !stop.Load() {
				dat.EVDResize(active.req, shortest+dat.Count(rand.IntN(256))) // refused at times
				runtime.Gosched()
			}
		})
		for posted, taken := 0, 0; taken < total; {
			for posted < total && rand.IntN(8) > 0 &&
				dat.EPPostRDMAWrite(active.ep, 1, active.mem.iov(0, 8), num(uint64(posted)), passive.mem.remote(0, 8), 0) == dat.Success {
				posted++
			}
			for range rand.IntN(10) {
				var ev dat.Event
				var more dat.Count
				if dat.EVDWait(active.req, 0, 1, &ev, &more) != dat.Success {
					break
				}
				if d := ev.EventData.DTOCompletionEventData; d.UserCookie.As64 != uint64(taken) || d.Status != dat.DTOSuccess {
					t.Fatalf("event %d is %+v", taken, d)
				}
				taken++
			}
		}
		empty(t, active.async)
	})
}
