package hcatest

import (
	"runtime"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/race"
)

var allocationCases = []Case{
	{"allocation", "an 8-byte write, posted and polled, allocates nothing", allocates(func(c *conn) func() {
		wr := write(c.b.mail, 0, c.a.mail.seg(0, 8))
		return c.a.roundTrip(wr)
	})},
	{"allocation", "an 8-byte read, posted and polled, allocates nothing", allocates(func(c *conn) func() {
		wr := read(c.b.mail, 0, c.a.mail.seg(8, 8))
		return c.a.roundTrip(wr)
	})},
	{"allocation", "a send with its receive allocates nothing", allocates(func(c *conn) func() {
		trip := c.a.roundTrip(send(c.a.mail.seg(0, 8)))
		recv := hca.RecvWR{Local: c.b.mail.seg(0, 8)}
		wcs := make([]hca.WC, 4)
		return func() {
			if err := c.b.qp.PostRecv(recv); err != nil {
				c.Fatalf("PostRecv: %v", err)
			}
			trip()
			for c.b.rq.cq.Poll(wcs) == 0 {
				runtime.Gosched()
			}
		}
	})},
	{"allocation", "a suppressed write allocates nothing", allocates(func(c *conn) func() {
		wr := with(write(c.b.mail, 0, c.a.mail.seg(0, 8)), hca.Suppress)
		last := c.a.roundTrip(write(c.b.mail, 0, c.a.mail.seg(0, 8)))
		return func() {
			for range 4 {
				if err := c.a.qp.PostSend(wr); err != nil {
					c.Fatalf("PostSend: %v", err)
				}
			}
			last()
		}
	})},
	{"allocation", "binding a window again and again allocates nothing", allocates(func(c *conn) func() {
		r := c.a.region(64, c.a.all())
		return c.a.roundTrip(bindWR(c.a.window(hca.ZoneWindow), r, 0, 64, hca.RemoteRead))
	})},
	{"allocation", "a message that waits for its receive allocates nothing", allocates(func(c *conn) func() {
		wr, recv := send(c.a.mail.seg(0, 8)), hca.RecvWR{Local: c.b.mail.seg(0, 8)}
		wcs := make([]hca.WC, 4)
		one := func(q hca.CQ) {
			for q.Poll(wcs) == 0 {
				runtime.Gosched()
			}
			if wcs[0].Status != hca.StatusOK {
				c.Fatalf("%v: %v", wcs[0].Op, wcs[0].Status)
			}
		}
		return func() {
			if err := c.a.qp.PostSend(wr); err != nil {
				c.Fatalf("PostSend: %v", err)
			}
			for range 20 {
				if c.a.sq.cq.Poll(nil)+c.b.rq.cq.Poll(wcs) != 0 {
					c.Fatalf("a receive was completed that was not posted")
				}
				runtime.Gosched()
			}
			if err := c.b.qp.PostRecv(recv); err != nil {
				c.Fatalf("PostRecv: %v", err)
			}
			one(c.b.rq.cq)
			one(c.a.sq.cq)
		}
	})},
}

// roundTrip posts a request and polls its entry. It does not park: arming and
// waking are the waiter's matter.
func (e *end) roundTrip(wr hca.SendWR) func() {
	wcs := make([]hca.WC, 4)
	return func() {
		if err := e.qp.PostSend(wr); err != nil {
			e.Fatalf("%s: PostSend: %v", e.name, err)
		}
		for e.sq.cq.Poll(wcs) == 0 {
			runtime.Gosched()
		}
		if wcs[0].Status != hca.StatusOK {
			e.Fatalf("%s: %v", e.name, wcs[0].Status)
		}
	}
}

func allocates(f func(c *conn) func()) func(t *env) {
	return func(t *env) {
		switch {
		case !t.h.NoAllocations:
			t.Logf("not checked: the harness does not promise it")
			return
		case race.Enabled:
			t.Logf("not checked: the race detector allocates")
			return
		}
		step := f(t.pair())
		for range 200 { // until buffers have their size
			step()
		}
		// It runs on one processor, where a peer that waits in Go's poller is found only every
		// 10 ms while this goroutine polls: hence not more runs.
		if n := testing.AllocsPerRun(100, step); n != 0 {
			t.Errorf("%v allocations, want none", n)
		}
	}
}
