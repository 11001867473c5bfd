package dat_test

import (
	"runtime"
	"testing"
	"weak"

	"github.com/godapl/godapl/compat/dat"
	"github.com/godapl/godapl/rdma"
)

// TestAFreedQueueKeepsNoCookies: the receives that are left vanish with a shared receive queue, and so do their
// cookies. Those that a connection has taken are flushed, and their events have them.
func TestAFreedQueueKeepsNoCookies(t *testing.T) {
	needs(t, "shared receive queues", func(c rdma.Caps) bool { return c.SharedReceive })
	type thing struct{ n [64]int }
	var left []weak.Pointer[thing]
	passive, queue := sharedSide(t, 16)
	active := newSide(t, usual, nil)
	connect(passive, active, usual)
	for i := range 8 {
		p := new(thing)
		p.n[0] = i
		left = append(left, weak.Make(p))
		ok(t, dat.SRQPostRecv(queue, 1, passive.mem.iov(8*i, 8), dat.Context{AsPtr: p}))
	}
	ok(t, dat.EPPostSend(active.ep, 1, active.mem.iov(0, 8), num(1), 0))
	completion(t, active.req, dat.DTOSuccess)
	queued(t, passive.recv, 1)
	ok(t, dat.EPDisconnect(passive.ep, dat.CloseAbruptFlag))
	expect(t, passive.conn, dat.ConnectionEventDisconnected)
	ok(t, dat.EPFree(passive.ep))
	ok(t, dat.SRQFree(queue))
	c := completion(t, passive.recv, dat.DTOSuccess)
	if p, _ := c.UserCookie.AsPtr.(*thing); p == nil || p.n[0] != 0 {
		t.Fatalf("cookie %+v", c.UserCookie)
	}
	runtime.GC()
	for i, p := range left[1:] {
		if p.Value() != nil {
			t.Fatalf("the cookie of receive %d is still there", i+1)
		}
	}
}
