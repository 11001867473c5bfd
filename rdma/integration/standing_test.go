package integration_test

import (
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// standingLimit is what an end of an idle connection may take, with its endpoint
// and the short queues of this test.
const standingLimit = 8 << 10

// TestConnectionsStandIdle: ten thousand ends of connections over TCP in one
// process hold little memory, before they are used and after it, also if they
// are polled all the time.
func TestConnectionsStandIdle(t *testing.T) {
	if raceEnabled {
		t.Skip("with the race detector memory is not what programs use, and few connections share what is there once")
	}
	n := many / 2
	before := settledHeap()
	c := newCrowd(t, "soft-tcp", n, true)
	check := func(when string) {
		t.Helper()
		each := (settledHeap() - before) / int64(2*n)
		t.Logf("%s: %d bytes each", when, each)
		if each > standingLimit {
			t.Errorf("%s: %d bytes each, want %d at most", when, each, standingLimit)
		}
	}
	check("connected")
	for i := range n {
		must(t, c.passive[i].PostRecv(rdma.Recv{Into: c.y.mem.Slice(0, 64)}))
		must(t, c.active[i].PostSend(rdma.Send{From: c.x.mem.Slice(0, 64)}))
	}
	takeAll(t, c.active[0].SendCompletions(), n)
	takeAll(t, c.passive[0].RecvCompletions(), n)
	var list [1]rdma.Completion
	for range 2 * n { // until each has been looked at
		if c.active[0].SendCompletions().Poll(list[:])+c.passive[0].RecvCompletions().Poll(list[:]) > 0 {
			t.Fatal("a completion of nothing")
		}
	}
	check("used and polled")
}

// takeAll polls once, and until so many completions have come.
func takeAll(t *testing.T, d *event.Dispatcher[rdma.Completion], want int) {
	t.Helper()
	ctx := within(t)
	var list [64]rdma.Completion
	for got, first := 0, true; first || got < want; first = false {
		n := d.Poll(list[:])
		for i := range n {
			must(t, list[i].Err())
		}
		if got += n; ctx.Err() != nil {
			t.Fatalf("%d of %d completions", got, want)
		}
	}
}

// TestConnectionsFallIdle: those that somebody has polled, each with queues of
// its own, give their memory back when that is over, and when they are waited for.
func TestConnectionsFallIdle(t *testing.T) {
	const n = 100
	for _, how := range []string{"left alone", "waited for"} {
		t.Run(how, func(t *testing.T) { fallIdle(t, n, how) })
	}
}

func fallIdle(t *testing.T, n int, how string) {
	before := settledHeap()
	c := newCrowd(t, "soft-tcp", n, false)
	for i := range n {
		must(t, c.passive[i].PostRecv(rdma.Recv{Into: c.y.mem.Slice(0, 64)}))
		must(t, c.active[i].PostSend(rdma.Send{From: c.x.mem.Slice(0, 64)}))
		takeAll(t, c.active[i].SendCompletions(), 1)
		takeAll(t, c.passive[i].RecvCompletions(), 1)
		takeAll(t, c.active[i].RecvCompletions(), 0)
	}
	if how == "waited for" {
		for i := range n {
			for _, d := range []*event.Dispatcher[rdma.Completion]{c.passive[i].RecvCompletions(), c.active[i].RecvCompletions()} {
				if _, _, err := d.WaitTimeout(time.Microsecond, 1); err == nil {
					t.Fatal("a completion of nothing")
				}
			}
		}
	}
	ctx := within(t)
	each := int64(bufferSize)
	for each > bufferSize/4 && ctx.Err() == nil {
		each = (settledHeap() - before) / int64(2*n)
	}
	t.Logf("%d bytes each", each)
	if each > bufferSize/4 {
		t.Errorf("they keep %d bytes each", each)
	}
}

// bufferSize is what a connection reads into.
const bufferSize = 512 << 10

// settledHeap is the heap without what is kept for the next who needs it, which
// takes two collections.
func settledHeap() int64 {
	heapBytes()
	return int64(heapBytes())
}
