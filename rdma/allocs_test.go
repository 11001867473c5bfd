package rdma_test

import (
	"testing"

	"github.com/godapl/godapl/internal/race"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

func skipWithRaceDetector(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget, so that they allocate")
	}
}

// TestPostAndPollDoNotAllocate counts every kind of post with its completion.
func TestPostAndPollDoNotAllocate(t *testing.T) {
	skipWithRaceDetector(t)
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		ctx := t.Context() // thousands of messages, so how long it takes is the machine's matter
		far, near := y.mem.Remote(), x.mem.All()
		var done [4]rdma.Completion
		poll := func(s *side, n int) {
			for got := 0; got < n; {
				k := s.conn.SendCompletions().Poll(done[:])
				if k == 0 { // the measurement leaves one processor for both sides
					k, _ = s.conn.SendCompletions().WaitBatch(ctx, done[:])
				}
				for i := range done[:k] {
					if done[i].Status != rdma.StatusOK {
						t.Fatal(done[i].Err())
					}
				}
				got += k
			}
		}
		receive := func() {
			if y.conn.RecvCompletions().Poll(done[:1]) == 0 {
				y.conn.RecvCompletions().WaitBatch(ctx, done[:1])
			}
			if done[0].Status != rdma.StatusOK {
				t.Fatal(done[0].Err())
			}
		}
		batch := x.conn.NewBatch()
		pieces := []mem.Slice{near.Slice(8, 8), near.Slice(16, 8)}
		calls := map[string]func(){
			"write": func() {
				must(t, x.conn.PostWrite(rdma.Write{From: near.Slice(0, 8), To: far.Slice(0, 8)}))
				poll(x, 1)
			},
			"write of pieces": func() {
				must(t, x.conn.PostWrite(rdma.Write{From: near.Slice(0, 8), More: pieces, To: far}))
				poll(x, 1)
			},
			"read": func() {
				must(t, x.conn.PostRead(rdma.Read{Into: near.Slice(0, 8), From: far.Slice(0, 8)}))
				poll(x, 1)
			},
			"fetch-add": func() {
				must(t, x.conn.PostFetchAdd(rdma.FetchAdd{Into: near.Slice(0, 8), At: far.Slice(0, 8)}))
				poll(x, 1)
			},
			"compare-swap": func() {
				must(t, x.conn.PostCompareSwap(rdma.CompareSwap{Into: near.Slice(0, 8), At: far.Slice(0, 8)}))
				poll(x, 1)
			},
			"send and receive": func() {
				must(t, y.conn.PostRecv(rdma.Recv{Into: y.mem.Slice(0, 8)}))
				must(t, x.conn.PostSend(rdma.Send{From: near.Slice(0, 8)}))
				poll(x, 1)
				receive()
			},
			"send and receive without memory": func() {
				must(t, y.conn.PostRecv(rdma.Recv{}))
				must(t, x.conn.PostSend(rdma.Send{}))
				poll(x, 1)
				receive()
			},
			"write with immediate": func() {
				must(t, y.conn.PostRecv(rdma.Recv{}))
				must(t, x.conn.PostWrite(rdma.Write{From: near.Slice(0, 8), To: far.Slice(0, 8), Flags: rdma.WithImmediate}))
				poll(x, 1)
				receive()
			},
			"batch": func() {
				for range 3 {
					must(t, batch.Write(rdma.Write{From: near.Slice(0, 8), More: pieces, To: far}))
				}
				if n, err := batch.Post(); n != 3 || err != nil {
					t.Fatal(n, err)
				}
				poll(x, 3)
			},
			"refused for lack of room": func() {
				n := 0
				for x.conn.PostWrite(rdma.Write{From: near.Slice(0, 8), To: far}) == nil {
					n++
				}
				poll(x, n)
			},
		}
		if !x.conn.Caps().Atomics {
			delete(calls, "fetch-add")
			delete(calls, "compare-swap")
		}
		if !x.conn.Caps().WriteImmediate {
			delete(calls, "write with immediate")
		}
		for what, f := range calls {
			for range 100 {
				f() // warm: rings and lists have grown
			}
			if n := testing.AllocsPerRun(200, f); n != 0 {
				t.Errorf("%s: %v allocations", what, n)
			}
		}
	})
}

// TestWaitingCallsDoNotAllocate: but for the first time.
func TestWaitingCallsDoNotAllocate(t *testing.T) {
	skipWithRaceDetector(t)
	x, y := connect(t, "soft-loop")
	ctx := within(t)
	far := y.mem.Remote()
	for what, f := range map[string]func(){
		"write": func() { x.conn.Write(ctx, x.mem.Slice(0, 8), far) },
		"read":  func() { x.conn.Read(ctx, x.mem.Slice(0, 8), far.Slice(0, 8)) },
		"add":   func() { x.conn.FetchAdd(ctx, far.Slice(0, 8), 1) },
		"send and receive": func() {
			must(t, y.conn.PostRecv(rdma.Recv{Into: y.mem.Slice(0, 8)}))
			must(t, x.conn.Send(ctx, x.mem.Slice(0, 8)))
			y.conn.RecvCompletions().Dequeue()
		},
	} {
		f()
		if n := testing.AllocsPerRun(200, f); n != 0 {
			t.Errorf("%s: %v allocations", what, n)
		}
	}
}

// TestConvertedCompletionsDoNotAllocate: with a dispatcher of the program's
// type.
func TestConvertedCompletionsDoNotAllocate(t *testing.T) {
	skipWithRaceDetector(t)
	x, y := newSide(t, "soft-loop"), newSide(t, "soft-loop")
	d := event.New[anything](event.Config{})
	defer d.Close()
	q, err := x.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 64, Sink: rdma.NewSink(d, putCompletion)})
	must(t, err)
	join(t, x, y, rdma.EndpointConfig{Zone: x.zone, SendCQ: q}, rdma.EndpointConfig{Zone: y.zone})
	from, to := x.mem.Slice(0, 8), y.mem.Remote()
	var list [2]anything
	n := testing.AllocsPerRun(200, func() {
		must(t, x.conn.PostWrite(rdma.Write{From: from, To: to}))
		for d.Poll(list[:]) == 0 {
		}
	})
	if n != 0 || list[0].completion.Op != rdma.OpWrite {
		t.Errorf("%v allocations, %v", n, list[0])
	}
	must(t, x.conn.Close())
	must(t, q.Close())
}
