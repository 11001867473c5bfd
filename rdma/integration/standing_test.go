package integration_test

import (
	"testing"
	"time"

	"github.com/godapl/godapl/internal/race"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// standingLimit is the memory in bytes that one end of an idle connection may use, with its
// endpoint and the short queues of this test.
const standingLimit = 8 << 10

// TestConnectionsStandIdle: ten thousand ends of TCP connections in one process use little
// memory, before and after they carry messages, even if they are polled all the time.
func TestConnectionsStandIdle(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector changes the use of memory, and with few connections the fixed part dominates")
	}
	n := many / 2
	before, files := settledHeap(), held().descriptors
	c := newCrowd(t, "soft-tcp", n, true)
	if more := held().descriptors - files; more > 2*n+64 { // as docs/production.md says
		t.Errorf("%d descriptors for %d ends of connections, want 1 each", more, 2*n)
	}
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
	for range 2 * n { // until each has been polled
		if c.active[0].SendCompletions().Poll(list[:])+c.passive[0].RecvCompletions().Poll(list[:]) > 0 {
			t.Fatal("a completion without an operation")
		}
	}
	check("used and polled")
}

// takeAll polls at least once, and until want completions have arrived.
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

// TestConnectionsFallIdle: a connection with queues of its own uses more memory while a
// goroutine polls it. It frees that memory when the polling stops, and when a goroutine waits
// for it instead.
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
					t.Fatal("a completion without an operation")
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

// bufferSize is the size of the buffer into which a connection reads.
const bufferSize = 512 << 10

// settledHeap is the size of the heap without the content of pools. It takes two garbage
// collections to empty a pool.
func settledHeap() int64 {
	heapBytes()
	return int64(heapBytes())
}
