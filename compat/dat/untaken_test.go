package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestEventsNotTakenHoldNoRequests: max_request_dtos bounds requests that are under way.
// Those that are complete lie in the EVD, as many as it holds, and do not overflow it.
func TestEventsNotTakenHoldNoRequests(t *testing.T) {
	paths(t, func(t *testing.T, name string) {
		passive, active := pair(t, name)
		const qlen = 64
		if n := active.attr().MaxRequestDTOS; n >= qlen {
			t.Fatalf("%d requests fit at a time: nothing to see here", n)
		}
		post := func(i int) dat.Return {
			return dat.EPPostRDMAWrite(active.ep, 1, active.mem.iov(0, 8), num(uint64(i)), passive.mem.remote(0, 8), 0)
		}
		for i := range qlen {
			ok(t, room(func() dat.Return { return post(i) }))
		}
		want(t, post(qlen), dat.InsufficientResources)
		for i := range qlen + 8 {
			ev := next(t, active.req)
			if d := ev.EventData.DTOCompletionEventData; d.Status != dat.DTOSuccess || d.UserCookie.As64 != uint64(i) {
				t.Fatalf("event %d is %+v", i, d)
			}
			if i < 8 {
				ok(t, room(func() dat.Return { return post(qlen + i) }))
			}
		}
		empty(t, active.req)
		empty(t, active.async)
	})
}
