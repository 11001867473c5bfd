package rdma_test

import (
	"runtime"
	"slices"
	"testing"
	"time"

	adapters "github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// TestAWaiterIsWokenByItsOwnConnection: a goroutine that waits for messages of one connection, or the goroutine of a
// channel, is woken by their arrival itself. No goroutine of the adapter runs in between.
func TestAWaiterIsWokenByItsOwnConnection(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("waiters park at descriptors on Linux only")
	}
	faces := map[string]func(end *side) rdma.Completion{
		"Wait": func(end *side) rdma.Completion {
			c, _, err := end.conn.RecvCompletions().WaitTimeout(time.Minute, 1)
			if err != nil {
				t.Error(err)
			}
			return c
		},
		"C":       func(end *side) rdma.Completion { return <-end.conn.RecvCompletions().C() },
		"Batches": nextBatch,
	}
	for _, adapter := range []string{"soft-shm", "soft-tcp"} {
		for name, next := range faces {
			t.Run(adapter+"/"+name, func(t *testing.T) { parkedTrips(t, adapter, next) })
		}
	}
}

func nextBatch(end *side) rdma.Completion {
	b, ok := <-end.conn.RecvCompletions().Batches(event.BatchConfig{})
	if !ok {
		return rdma.Completion{}
	}
	defer b.Release()
	return b.Events[0]
}

func parkedTrips(t *testing.T, adapter string, next func(*side) rdma.Completion) {
	const rounds, trips = 10, 100 // and one round before, for all to have parked
	x, y := connect(t, adapter)
	for _, end := range []*side{x, y} {
		event.ProviderOf(end.conn.RecvCompletions()).SetBurst(-1)
		must(t, end.conn.PostRecv(rdma.Recv{Into: end.mem.Slice(64, 64)}))
	}
	ping := func(end *side) bool {
		return end.conn.PostSend(rdma.Send{From: end.mem.Slice(0, 64), Flags: rdma.NoCompletion}) == nil
	}
	wait := func(end *side) bool {
		c := next(end)
		return c.Op == rdma.OpRecv && c.Err() == nil && end.conn.PostRecv(rdma.Recv{Into: end.mem.Slice(64, 64)}) == nil
	}
	done := make(chan bool)
	go func() {
		ok := true
		for i := 0; i < (1+rounds)*trips && ok; i++ {
			ok = wait(y) && ping(y)
		}
		done <- ok
	}()
	var before uint64
	var woken []uint64 // times in each round: on a busy machine a message may come before its waiter
	for i := range (1 + rounds) * trips {
		if i%trips == 0 {
			now := adapters.AllStats().Events
			if i > trips {
				woken = append(woken, now-before)
			}
			before = now
		}
		if !ping(x) || !wait(x) {
			t.Fatal("a message is missing")
		}
	}
	woken = append(woken, adapters.AllStats().Events-before)
	if !<-done {
		t.Fatal("the other side misses a message")
	}
	if slices.Min(woken) > trips/2 {
		t.Errorf("the adapters' pollers woke %d times for %d round trips each", woken, trips)
	}
}

// TestAFullChannelLeavesTheConnection: a program that receives nothing from its channel waits for a read of the same
// connection. The channel's goroutine cannot read the connection then, so the adapter must.
func TestAFullChannelLeavesTheConnection(t *testing.T) {
	faces := map[string]func(*event.Dispatcher[rdma.Completion]) (receive func() []rdma.Completion){
		"C": func(d *event.Dispatcher[rdma.Completion]) func() []rdma.Completion {
			ch := d.C()
			return func() []rdma.Completion { return []rdma.Completion{<-ch} }
		},
		"Batches": func(d *event.Dispatcher[rdma.Completion]) func() []rdma.Completion {
			ch := d.Batches(event.BatchConfig{})
			return func() []rdma.Completion { return (<-ch).Events }
		},
	}
	for _, adapter := range []string{"soft-shm", "soft-tcp"} {
		for face, start := range faces {
			t.Run(adapter+"/"+face, func(t *testing.T) {
				const many = 200 // more than the channel holds, and its goroutine
				deep := func(a, p *rdma.EndpointConfig) { a.RecvDepth, p.SendDepth = many, many }
				x, y := connect(t, adapter, deep)
				for range many {
					must(t, x.conn.PostRecv(rdma.Recv{Into: x.mem.Slice(64, 64)}))
				}
				event.ProviderOf(x.conn.SendCompletions()).SetBurst(-1)
				receive := start(x.conn.RecvCompletions())
				for range many {
					must(t, y.conn.PostSend(rdma.Send{From: y.mem.Slice(0, 64), Flags: rdma.NoCompletion}))
				}
				for end := time.Now().Add(patience); ; runtime.Gosched() {
					if _, receives := x.conn.Endpoint().Outstanding(); receives == 0 {
						break
					}
					if time.Now().After(end) {
						t.Fatal("not all messages are read")
					}
				}
				for range 3 {
					must(t, x.conn.PostRead(rdma.Read{Into: x.mem.Slice(0, 64), From: y.mem.Slice(0, 64).Remote()}))
					if c, _, err := x.conn.SendCompletions().WaitTimeout(patience, 1); err != nil || c.Err() != nil {
						t.Fatal("a read does not complete", err, c)
					}
				}
				for n := 0; n < many; {
					for _, c := range receive() {
						if c.Err() != nil {
							t.Fatalf("message %d: %v", n, c.Err())
						}
						n++
					}
				}
			})
		}
	}
}
