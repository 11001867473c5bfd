package rdma_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

func TestBatch(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		far := y.mem.Remote()
		x.mem.WriteAt([]byte("abcdefgh"), 0)
		b := x.conn.NewBatch()
		if n, err := b.Post(); n != 0 || err != nil {
			t.Errorf("an empty batch: %d, %v", n, err)
		}
		must(t, y.conn.PostRecv(rdma.Recv{Into: y.mem.Slice(1000, 64), Cookie: 1}))
		for range 2 { // the batch is reused
			must(t, b.Recv(rdma.Recv{Into: x.mem.Slice(900, 8), Cookie: 5}))
			must(t, b.Write(rdma.Write{From: x.mem.Slice(0, 2), More: []mem.Slice{x.mem.Slice(4, 2)}, To: far.Slice(0, 8), Cookie: 1}))
			must(t, b.Write(rdma.Write{From: x.mem.Slice(6, 1), More: []mem.Slice{x.mem.Slice(7, 1)}, To: far.Slice(4, 8), Cookie: 2}))
			must(t, b.Read(rdma.Read{Into: x.mem.Slice(100, 6), From: far.Slice(0, 6), Cookie: 3}))
			wantCode(t, b.Write(rdma.Write{From: x.mem.Slice(0, 9), To: far.Slice(0, 8)}), rdma.ErrLength, "a write that is too long")
			wantCode(t, b.Recv(rdma.Recv{Into: x.mem.Slice(0, 1<<20)}), rdma.ErrInvalid, "a receive out of range")
			wantCode(t, b.Send(rdma.Send{From: x.mem.Slice(0, 1<<20)}), rdma.ErrInvalid, "a send out of range")
			if b.Len() != 4 {
				t.Errorf("%d in the batch", b.Len())
			}
			if n, err := b.Post(); n != 4 || err != nil || b.Len() != 0 {
				t.Fatal(n, err, b.Len())
			}
			for i, c := range take(t, x.conn.SendCompletions(), 3) {
				if c.Cookie != uint64(i+1) || c.Err() != nil {
					t.Errorf("%+v", c)
				}
			}
			if got := string(x.mem.Bytes()[100:106]); got != "abefgh" {
				t.Errorf("read %q", got)
			}
		}
		if _, n := x.conn.Outstanding(); n != 2 {
			t.Errorf("%d receives", n)
		}
		must(t, b.Send(rdma.Send{From: x.mem.Slice(0, 3), Cookie: 4}))
		if x.conn.Caps().Atomics {
			must(t, b.FetchAdd(rdma.FetchAdd{Into: x.mem.Slice(200, 8), At: far.Slice(64, 8), Add: 3}))
			must(t, b.CompareSwap(rdma.CompareSwap{Into: x.mem.Slice(208, 8), At: far.Slice(64, 8), Compare: 3, Swap: 9}))
		}
		want := b.Len()
		if n, err := b.Post(); n != want || err != nil {
			t.Fatal(n, err)
		}
		take(t, x.conn.SendCompletions(), want)
		if x.conn.Caps().Atomics && binary.NativeEndian.Uint64(y.mem.Bytes()[64:]) != 9 {
			t.Error("atomics of a batch")
		}
		if c := take(t, y.conn.RecvCompletions(), 1)[0]; c.Length != 3 {
			t.Errorf("%+v", c)
		}
		must(t, b.Send(rdma.Send{}))
		b.Reset()
		if n, err := b.Post(); n != 0 || err != nil {
			t.Error("a batch that was reset posted")
		}
	})
}

// TestBatchForgets: nothing of what was refused, posted or reset before is in a write
// that is added in its place.
func TestBatchForgets(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		far := y.mem.Remote()
		x.mem.WriteAt([]byte("abcdefgh"), 0)
		long := rdma.Write{From: x.mem.Slice(0, 2), More: []mem.Slice{x.mem.Slice(2, 2)}, To: far.Slice(0, 8)}
		b := x.conn.NewBatch()
		for range 3 {
			must(t, b.Write(long))
		}
		b.Reset()
		refused := long
		refused.To = far.Slice(0, 3)
		for i, before := range []func(){
			func() { wantCode(t, b.Write(refused), rdma.ErrLength, "a write that is too long") },
			func() { must(t, b.Write(long)); b.Reset() },
			func() {
				must(t, b.Write(long))
				if n, err := b.Post(); n != 1 || err != nil {
					t.Fatal(n, err)
				}
				take(t, x.conn.SendCompletions(), 1)
			},
		} {
			before()
			must(t, b.Write(rdma.Write{From: x.mem.Slice(6, 1), To: far.Slice(8+8*i, 8), Cookie: 7}))
			if n, err := b.Post(); n != 1 || err != nil {
				t.Fatal(n, err)
			}
			if c := take(t, x.conn.SendCompletions(), 1)[0]; c.Length != 1 || c.Cookie != 7 || c.Err() != nil {
				t.Errorf("%d: %+v", i, c)
			}
			_, err := x.conn.Read(within(t), x.mem.Slice(100, 4), far.Slice(8+8*i, 4))
			must(t, err)
			if got := string(x.mem.Bytes()[100:104]); got != "g\x00\x00\x00" {
				t.Errorf("%d: %q was written", i, got)
			}
		}
	})
}

// TestBatchGoesOnWhereItStopped: what did not fit stays. A device may complete the first
// requests, which frees their slots, before the last one is posted.
func TestBatchGoesOnWhereItStopped(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name, func(a, p *rdma.EndpointConfig) { a.SendDepth = 3 })
		b := x.conn.NewBatch()
		for i := range 8 {
			must(t, b.Write(rdma.Write{From: x.mem.Slice(0, 8), To: y.mem.Slice(0, 8).Remote(), Cookie: uint64(i)}))
		}
		next := uint64(0)
		for _, want := range []int{3, 3, 2} {
			n, err := b.Post()
			left := b.Len()
			if n+left != 8-int(next) || n < min(want, 8-int(next)) || n > want && strings.HasPrefix(name, "soft") {
				t.Fatalf("%d posted and %d left, want %d posted: %v", n, left, want, err)
			}
			if left > 0 {
				wantCode(t, err, rdma.ErrQueueFull, "a full queue")
			}
			for _, c := range take(t, x.conn.SendCompletions(), n) {
				if c.Cookie != next || c.Err() != nil {
					t.Errorf("%+v, want %d", c, next)
				}
				next++
			}
		}
		if b.Len() != 0 {
			t.Errorf("%d left", b.Len())
		}
	})
}

// TestBatchOfTooManyReceives keeps those that did not fit, and the requests.
func TestBatchOfTooManyReceives(t *testing.T) {
	x, y := connect(t, "soft-loop", func(a, p *rdma.EndpointConfig) { a.RecvDepth = 2 })
	b := x.conn.NewBatch()
	must(t, b.Write(rdma.Write{From: x.mem.Slice(0, 8), To: y.mem.Remote()}))
	for i := range 3 {
		must(t, b.Recv(rdma.Recv{Into: x.mem.Slice(0, 8), Cookie: uint64(i)}))
	}
	n, err := b.Post()
	wantCode(t, err, rdma.ErrQueueFull, "three receives")
	if n != 2 || b.Len() != 2 {
		t.Errorf("%d posted, %d left", n, b.Len())
	}
	must(t, y.conn.Send(within(t), y.mem.Slice(0, 1)))
	take(t, x.conn.RecvCompletions(), 1)
	if n, err := b.Post(); n != 2 || err != nil {
		t.Errorf("%d posted, %v", n, err)
	}
	for want := uint64(1); want < 3; want++ {
		must(t, y.conn.Send(within(t), y.mem.Slice(0, 1)))
		if c := take(t, x.conn.RecvCompletions(), 1)[0]; c.Cookie != want {
			t.Errorf("%+v", c)
		}
	}
}

// TestBatchWithoutConnection takes receives only.
func TestBatchWithoutConnection(t *testing.T) {
	x := newSide(t, "soft-loop")
	q, err := x.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 8})
	must(t, err)
	e := newEndpoint(t, x, rdma.EndpointConfig{Zone: x.zone, RecvDepth: 2, RecvCQ: q})
	b := e.NewBatch()
	wantCode(t, b.Send(rdma.Send{}), rdma.ErrState, "a send")
	pieces := []mem.Slice{x.mem.Slice(8, 8)}
	for i := range 3 {
		must(t, b.Recv(rdma.Recv{Into: x.mem.Slice(0, 8), More: pieces, Cookie: uint64(i)}))
	}
	pieces[0] = mem.Slice{}.Slice(1, 1) // the list was the caller's again
	n, err := b.Post()
	wantCode(t, err, rdma.ErrQueueFull, "three receives")
	if n != 2 || b.Len() != 1 {
		t.Errorf("%d posted, %d left", n, b.Len())
	}
	must(t, e.Close())
	for i, c := range take(t, q.Dispatcher(), 2) {
		if c.Cookie != uint64(i) || c.Status != rdma.StatusFlushed {
			t.Errorf("%+v", c)
		}
	}
}
