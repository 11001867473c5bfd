package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestFlushedSuppressedRequestsKeepTheirCookies: SUPPRESS does not hide flushed requests, and a disconnected
// endpoint takes more of them than can be under way at a time. Each event has its cookie, however late it is
// taken, also behind the end of the endpoint.
func TestFlushedSuppressedRequestsKeepTheirCookies(t *testing.T) {
	for _, freed := range []bool{false, true} {
		paths(t, func(t *testing.T, name string) {
			_, active := pair(t, name)
			ok(t, dat.EPDisconnect(active.ep, dat.CloseAbruptFlag))
			expect(t, active.conn, dat.ConnectionEventDisconnected)
			const n = 48
			if depth := active.attr().MaxRequestDTOS; depth >= n {
				t.Fatalf("%d requests can be under way: nothing to see here", depth)
			}
			cookie := func(i int) dat.Context { return dat.Context{As64: uint64(i), AsPtr: i} }
			for i := range n {
				ok(t, dat.EPPostSend(active.ep, 1, active.mem.iov(0, 8), cookie(i), dat.CompletionSuppressFlag))
			}
			if freed {
				ok(t, dat.EPFree(active.ep))
			}
			for i := range n {
				if d := completion(t, active.req, dat.DTOErrFlushed); d.UserCookie != cookie(i) {
					t.Fatalf("cookie %+v, want %+v", d.UserCookie, cookie(i))
				}
			}
		})
	}
}
