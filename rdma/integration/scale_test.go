package integration_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

const many = 10_000

// crowd is many endpoints of one adapter, connected to as many of another in
// the same process.
type crowd struct {
	x, y             *side
	active           []*rdma.Conn
	passive          []*rdma.Conn
	bytesPerEndpoint uint64
}

// newCrowd connects n pairs over a path. With a queue, the active endpoints share it.
func newCrowd(t testing.TB, path string, n int, shared bool) *crowd {
	t.Helper()
	c := &crowd{x: newSide(t, open(t, path), 1<<20), y: newSide(t, open(t, path), 1<<20)}
	active := rdma.EndpointConfig{Zone: c.x.zone, SendDepth: 8, RecvDepth: 8}
	passive := rdma.EndpointConfig{Zone: c.y.zone, SendDepth: 8, RecvDepth: 8}
	if shared {
		active.SendCQ = made(c.x.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 8 * n}))(t)
		active.RecvCQ = active.SendCQ
		passive.SendCQ = made(c.y.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 8 * n}))(t)
		passive.RecvCQ = passive.SendCQ
	}
	before := heapBytes()
	ctx := within(t)
	ln := made(c.y.adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{}))(t)
	defer ln.Close()
	accepted := make(chan error, 1)
	go func() {
		for range n {
			conn, err := (<-ln.Requests()).Accept(ctx, passive)
			if err != nil {
				accepted <- err
				return
			}
			c.passive = append(c.passive, conn)
		}
		accepted <- nil
	}()
	for range n {
		c.active = append(c.active, made(c.x.adapter.Dial(ctx, ln.Addr().String(), active))(t))
	}
	must(t, <-accepted)
	c.bytesPerEndpoint = (heapBytes() - before) / uint64(2*n)
	return c
}

func heapBytes() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// TestTenThousandEndpoints connects ten thousand endpoints with as many others,
// uses each in random order, waits for all of them with one set, and closes
// everything.
func TestTenThousandEndpoints(t *testing.T) {
	before, heap := held(), heapBytes()
	t.Run("use", tenThousandEndpoints)
	if now := heapBytes(); now > heap+1<<20 {
		t.Errorf("the heap has %d bytes, %d before", now, heap)
	}
	noMore(t, before, many/100)
}

func tenThousandEndpoints(t *testing.T) {
	r := random(t)
	c := newCrowd(t, "soft-loop", many, false)
	t.Logf("%d endpoints, each with dispatchers of its own: %d bytes per endpoint, %d goroutines", 2*many, c.bytesPerEndpoint, runtime.NumGoroutine())
	ctx := within(t)
	set := event.NewSet()
	defer set.Close()
	index := make(map[event.Member]int, many)
	for i, conn := range c.passive {
		must(t, conn.PostRecv(rdma.Recv{Into: c.y.mem.Slice(16*i%(1<<19), 8), Cookie: uint64(i)}))
		index[conn.RecvCompletions()] = i
		must(t, set.Add(conn.RecvCompletions()))
		if len(drained(conn.RecvCompletions())) != 0 {
			t.Fatal("a completion without a message")
		}
	}
	for k, i := range r.Perm(many) {
		must(t, c.active[i].PostSend(rdma.Send{From: c.x.mem.Slice(0, 8), Cookie: uint64(i)}))
		d := c.active[i].SendCompletions()
		if done, _, err := d.Wait(ctx, 1); err != nil || done.Cookie != uint64(i) || done.Err() != nil {
			t.Fatalf("endpoint %d: %+v, %v", i, done, err)
		}
		ready, err := set.Wait(ctx)
		if err != nil || index[ready] != i {
			t.Fatalf("message %d: endpoint %d is ready, %v; want %d", k, index[ready], err, i)
		}
		got := drained(c.passive[i].RecvCompletions())
		if len(got) != 1 || got[0].Cookie != uint64(i) || got[0].Endpoint != c.passive[i].Endpoint() || got[0].Length != 8 {
			t.Fatalf("endpoint %d received %+v", i, got)
		}
	}
	for _, conn := range c.active {
		must(t, conn.Close())
	}
	for i, conn := range c.passive {
		ended(t, conn, rdma.ErrDisconnected)
		if i%2 == 0 { // the others go with the adapter
			must(t, conn.Close())
		}
	}
	must(t, c.x.mem.Free())
	must(t, c.x.zone.Close())
	must(t, c.x.adapter.CloseIdle())
	must(t, c.y.adapter.Close())
	if n := set.Len(); n != 0 {
		t.Errorf("%d closed dispatchers are in the set", n)
	}
}

// drained takes what there is until there is nothing, which arms the dispatcher
// for its set.
func drained(d *event.Dispatcher[rdma.Completion]) (all []rdma.Completion) {
	var list [4]rdma.Completion
	for n := 1; n > 0; {
		n = d.Poll(list[:])
		all = append(all, list[:n]...)
	}
	return all
}

// TestTenThousandDispatchers puts events into dispatchers of one set in random
// order: the set names each that is ready, and no other.
func TestTenThousandDispatchers(t *testing.T) {
	r := random(t)
	all, set := dispatchers(t, many)
	ctx := within(t)
	index := map[event.Member]int{}
	for i, d := range all {
		index[d] = i
	}
	for range 3 {
		chosen := r.Perm(many)[:many/4]
		for _, i := range chosen {
			must(t, all[i].Post(i))
		}
		for _, want := range chosen { // in the order of their becoming ready
			ready, err := set.Wait(ctx)
			must(t, err)
			if index[ready] != want {
				t.Fatalf("dispatcher %d is ready, want %d", index[ready], want)
			}
			if ev, err := all[want].Dequeue(); err != nil || ev != want {
				t.Fatalf("dispatcher %d: event %d, %v", want, ev, err)
			}
		}
		if ready, err := set.WaitTimeout(0); err == nil {
			t.Fatalf("dispatcher %d is ready without an event", index[ready])
		}
	}
	must(t, set.Remove(all[0]))
	for _, d := range all[1:] {
		must(t, d.Close())
	}
	if n := set.Len(); n != 0 {
		t.Errorf("%d dispatchers are in the set, all of which were removed or closed", n)
	}
}

func dispatchers(t testing.TB, n int) ([]*event.Dispatcher[int], *event.Set) {
	t.Helper()
	set := event.NewSet()
	t.Cleanup(func() { set.Close() })
	all := make([]*event.Dispatcher[int], n)
	for i := range all {
		all[i] = event.New[int](event.Config{Depth: 4})
		must(t, set.Add(all[i]))
	}
	return all, set
}

// BenchmarkSetWait posts an event to one of many dispatchers and waits for the
// set: the number must not matter.
func BenchmarkSetWait(b *testing.B) {
	one := 0.0
	for _, n := range []int{10, many} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			all, set := dispatchers(b, n)
			r := rand.New(rand.NewPCG(1, 1))
			order := r.Perm(n)[:10] // as many memory lines with ten as with ten thousand
			ctx := context.Background()
			i := 0
			for b.Loop() {
				d := all[order[i%10]]
				i++
				d.Post(i)
				if _, err := set.Wait(ctx); err != nil {
					b.Fatal(err)
				}
				d.Dequeue()
			}
			one = reportRatio(b, n == 10, one)
		})
	}
}

// BenchmarkEndpoints writes 8 bytes and polls for the completion, on one
// endpoint, and on ten thousand: one after the other in the order in which they
// were made, and in random order, which finds nothing in a cache.
func BenchmarkEndpoints(b *testing.B) {
	for _, queues := range []string{"own-queues", "shared-queue"} {
		one := 0.0
		for _, how := range []string{"one", "in-turn", "random"} {
			b.Run(queues+"/"+how, func(b *testing.B) {
				n := many
				if how == "one" {
					n = 1
				}
				c := newCrowd(b, "soft-loop", n, queues == "shared-queue")
				if how == "random" {
					rand.New(rand.NewPCG(1, 1)).Shuffle(n, func(i, j int) { c.active[i], c.active[j] = c.active[j], c.active[i] })
				}
				from, to := c.x.mem.Slice(0, 8), c.y.mem.Slice(0, 8).Remote()
				var list [1]rdma.Completion
				i := 0
				for b.Loop() {
					conn := c.active[i]
					if i++; i == n {
						i = 0
					}
					if err := conn.PostWrite(rdma.Write{From: from, To: to}); err != nil {
						b.Fatal(err)
					}
					for conn.SendCompletions().Poll(list[:]) == 0 {
					}
				}
				one = reportRatio(b, n == 1, one)
				if n > 1 {
					b.ReportMetric(float64(c.bytesPerEndpoint), "B/endpoint")
				}
			})
		}
	}
}

// reportRatio compares with the first of a series.
func reportRatio(b *testing.B, first bool, one float64) float64 {
	each := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	if first {
		return each
	}
	if one > 0 {
		b.ReportMetric(each/one, "ratio")
	}
	return one
}
