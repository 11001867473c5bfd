package rdma_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// TestACallBehindUntakenCompletions: there are more than the queue's depth and some, and the program does not take them.
func TestACallBehindUntakenCompletions(t *testing.T) {
	for _, name := range pathsAndShm() {
		t.Run(name, func(t *testing.T) {
			a, p := connect(t, name)
			n := 5000
			if !soft(name) {
				n = 1000
			}
			for i := 0; i < n; {
				err := a.conn.PostWrite(rdma.Write{From: a.mem.Slice(0, 8), To: p.mem.Slice(0, 8).Remote()})
				if errors.Is(err, rdma.ErrQueueFull) {
					runtime.Gosched()
					continue
				}
				must(t, err)
				i++
			}
			_, err := a.conn.Read(within(t), a.mem.Slice(64, 8), p.mem.Slice(64, 8).Remote())
			must(t, err)
			var buf [64]rdma.Completion
			for took := 0; took < n; {
				k, err := a.conn.SendCompletions().WaitBatch(within(t), buf[:])
				must(t, err)
				took += k
			}
		})
	}
}

// TestACallBesideShortPolls: a poll of one completion uses the notification of several, of which a call waits for one.
func TestACallBesideShortPolls(t *testing.T) {
	for _, name := range pathsAndShm() {
		t.Run(name, func(t *testing.T) {
			a, p := connect(t, name)
			d := a.conn.SendCompletions()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			rounds := 500
			if !soft(name) {
				rounds = 50
			}
			for round := range rounds {
				done := make(chan error, 1)
				must(t, a.conn.PostRead(rdma.Read{Into: a.mem.Slice(0, 8), From: p.mem.Slice(0, 8).Remote()}))
				go func() {
					_, err := a.conn.Read(ctx, a.mem.Slice(64, 8), p.mem.Slice(64, 8).Remote())
					done <- err
				}()
				for range round % 5 {
					runtime.Gosched()
				}
				for _, err := d.Dequeue(); err != nil && ctx.Err() == nil; _, err = d.Dequeue() {
					if round%3 == 0 {
						runtime.Gosched()
					}
				}
				if err := <-done; err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
			}
		})
	}
}

// TestACallBehindAFullDispatcher: the program takes some of the completions that fill its dispatcher, in whatever way,
// and then no more. There is room now for the completion that a call waits for.
func TestACallBehindAFullDispatcher(t *testing.T) {
	const taken = 8
	var buf [taken]rdma.Completion
	faces := map[string]func(d *event.Dispatcher[rdma.Completion]){
		"Poll": func(d *event.Dispatcher[rdma.Completion]) {
			if n := d.Poll(buf[:]); n != taken {
				t.Errorf("polled %d", n)
			}
		},
		"Wait": func(d *event.Dispatcher[rdma.Completion]) {
			if _, _, err := d.WaitTimeout(patience, 1); err != nil {
				t.Error(err)
			}
		},
	}
	for _, name := range pathsAndShm() {
		for face, take := range faces {
			t.Run(name+"/"+face, func(t *testing.T) {
				a, p := newSide(t, name), newSide(t, name)
				q, err := a.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 4})
				must(t, err)
				join(t, a, p, rdma.EndpointConfig{Zone: a.zone, SendCQ: q, SendDepth: 4}, rdma.EndpointConfig{Zone: p.zone})
				d, at := q.Dispatcher(), p.mem.Slice(0, 8).Remote()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				write := func() error {
					_, err := a.conn.Write(ctx, a.mem.Slice(0, 8), at)
					return err
				}
				for d.Len() < d.Cap()-1 {
					must(t, a.conn.PostWrite(rdma.Write{From: a.mem.Slice(0, 8), To: at}))
					must(t, write())
				}
				must(t, a.conn.PostWrite(rdma.Write{From: a.mem.Slice(0, 8), To: at}))
				done := make(chan error, 1)
				go func() { done <- write() }()
				for d.Len() < d.Cap() {
					runtime.Gosched()
				}
				for range 1000 { // let the call go to sleep
					runtime.Gosched()
				}
				take(d)
				select {
				case err := <-done:
					must(t, err)
				case <-time.After(patience): // before the context ends: a call looks once more then
					t.Fatal("the call still waits")
				}
			})
		}
	}
}

// TestACallBesideAClosedDispatcher: a program that closes the dispatcher wants no more completions from it. The calls of
// the connection get theirs, and its end.
func TestACallBesideAClosedDispatcher(t *testing.T) {
	for _, name := range pathsAndShm() {
		t.Run(name, func(t *testing.T) {
			a, p := connect(t, name)
			must(t, a.conn.SendCompletions().Close())
			must(t, a.conn.RecvCompletions().Close())
			ctx := within(t)
			from, to := a.mem.Slice(0, 8), p.mem.Slice(0, 8).Remote()
			for range 100 { // more than fit into the dispatcher's buffer
				must(t, a.conn.PostWrite(rdma.Write{From: from, To: to}))
				_, err := a.conn.Write(ctx, from, to)
				must(t, err)
			}
			must(t, p.conn.Close())
			_, err := a.conn.Recv(ctx, from)
			wantCode(t, err, rdma.ErrDisconnected, "receive behind the end")
			must(t, ctx.Err())
		})
	}
}

// TestAResizeThatIsRefused changes nothing.
func TestAResizeThatIsRefused(t *testing.T) {
	a := open(t, "soft-loop")
	q, err := a.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 64})
	must(t, err)
	q.Dispatcher().C()
	if err := q.Resize(16); err == nil || q.Depth() != 64 {
		t.Errorf("%v, depth %d", err, q.Depth())
	}
}
