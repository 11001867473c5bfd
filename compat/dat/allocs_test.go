package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestNoAllocations counts the allocations of the calls that programs make all the
// time.
func TestNoAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes pools forget")
	}
	a, b := pair(t, usual)
	iov, to := b.mem.iov(0, 8), a.mem.remote(0, 8)
	two := append(b.mem.iov(0, 4), b.mem.iov(8, 4)...)
	into := a.mem.iov(64, 64)
	pointer := dat.Context{AsPtr: t}
	var ev dat.Event
	var more dat.Count
	take := func(h dat.EVDHandle) {
		if ret := dat.EVDWait(h, second, 1, &ev, &more); ret != dat.Success {
			t.Fatal(ret)
		}
	}
	for _, c := range []struct {
		what string
		do   func() dat.Return
	}{
		{"write", func() dat.Return {
			ret := dat.EPPostRDMAWrite(b.ep, 1, iov, num(1), to, 0)
			take(b.req)
			return ret
		}},
		{"read", func() dat.Return {
			ret := dat.EPPostRDMARead(b.ep, 1, iov, num(1), to, 0)
			take(b.req)
			return ret
		}},
		{"write of two segments, with a pointer as the cookie", func() dat.Return {
			ret := dat.EPPostRDMAWrite(b.ep, 2, two, pointer, to, dat.CompletionBarrierFenceFlag)
			take(b.req)
			if ev.EventData.DTOCompletionEventData.UserCookie != pointer {
				t.Fatal("the cookie is ", ev.EventData.DTOCompletionEventData.UserCookie)
			}
			return ret
		}},
		{"fetch and add", func() dat.Return {
			ret := dat.IBPostFetchAndAdd(b.ep, 1, &iov[0], num(1), to, 0)
			take(b.req)
			return ret
		}},
		{"send and receive", func() dat.Return {
			ret := dat.EPPostRecv(a.ep, 1, into, num(1), 0)
			if ret == dat.Success {
				ret = dat.EPPostSend(b.ep, 1, iov, num(1), 0)
			}
			take(a.recv)
			take(b.req)
			return ret
		}},
		{"dequeue of nothing", func() dat.Return {
			dat.EVDDequeue(b.req, &ev)
			return 0
		}},
		{"wait for nothing", func() dat.Return {
			dat.EVDWait(b.req, 0, 1, &ev, &more)
			return 0
		}},
		{"refused post", func() dat.Return {
			dat.EPPostSend(b.ep, 1, nil, num(1), 0)
			return 0
		}},
	} {
		if c.what == "fetch and add" && !atomics(limits().Caps) {
			continue
		}
		if n := testing.AllocsPerRun(200, func() { ok(t, c.do()) }); n != 0 {
			t.Errorf("%s allocates %.1f times", c.what, n)
		}
	}
}
