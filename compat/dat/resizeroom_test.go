package dat_test

import (
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
