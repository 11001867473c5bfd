package rdma_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// full returns the passive side of a connection whose receives are flushed into a channel from which nobody receives
// more than one message. The channel's goroutine stands with one of them. If q is nil, it is the connection's channel.
func full(t *testing.T, y *side, q *rdma.CompletionQueue, c func() <-chan rdma.Completion) <-chan rdma.Completion {
	t.Helper()
	x := newSide(t, y.adapter.Name())
	join(t, x, y, rdma.EndpointConfig{Zone: x.zone}, rdma.EndpointConfig{Zone: y.zone, RecvCQ: q, RecvDepth: fullReceives})
	ch := c()
	for range fullReceives {
		must(t, y.conn.PostRecv(rdma.Recv{Into: y.mem.Slice(0, 64)}))
	}
	must(t, x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 64)}))
	if got := <-ch; got.Status != rdma.StatusOK {
		t.Fatal(got.Err())
	}
	must(t, x.adapter.Close())
	for end := time.Now().Add(patience); len(ch) < cap(ch); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d of %d are in the channel", len(ch), cap(ch))
		}
	}
	return ch
}

// fullReceives is more than a channel takes, with what its goroutine takes at a time.
const fullReceives = 200

// TestClosingDoesNotWaitForTheReceiverOfAChannel: a program that receives no more can close its adapter. What has not
// been received is lost only with the queue's own dispatcher.
func TestClosingDoesNotWaitForTheReceiverOfAChannel(t *testing.T) {
	for _, name := range pathsAndShm() {
		t.Run(name+"/own", func(t *testing.T) {
			for range 5 {
				y := newSide(t, name)
				ch := full(t, y, nil, func() <-chan rdma.Completion { return y.conn.RecvCompletions().C() })
				soon(t, ch, y.adapter.Close)
			}
		})
		t.Run(name+"/program's", func(t *testing.T) {
			for range 5 {
				d := event.New[rdma.Completion](event.Config{})
				y := newSide(t, name)
				q, err := y.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{
					Sink: rdma.NewSink(d, func(to *rdma.Completion, c *rdma.Completion) { *to = *c }),
				})
				must(t, err)
				ch := full(t, y, q, d.C)
				soon(t, ch, y.conn.Close)
				soon(t, ch, q.Close)
				soon(t, ch, y.adapter.Close)
				for i := range fullReceives - 1 {
					if got := <-ch; got.Status != rdma.StatusFlushed {
						t.Fatalf("%d: %v", i, got)
					}
				}
				must(t, d.Close())
			}
		})
	}
}

// TestClosingDoesNotWaitForOtherFaces: as above, for the channels of batches and of sets.
func TestClosingDoesNotWaitForOtherFaces(t *testing.T) {
	faces := map[string]func(*event.Dispatcher[rdma.Completion]) (receive func(), end func()){
		"Batches": func(d *event.Dispatcher[rdma.Completion]) (receive, end func()) {
			ch := d.Batches(event.BatchConfig{Size: 8})
			return func() { (<-ch).Release() }, func() {}
		},
		"Set.C": func(d *event.Dispatcher[rdma.Completion]) (receive, end func()) {
			s := event.NewSet()
			if err := s.Add(d); err != nil {
				t.Fatal(err)
			}
			ch := s.C()
			return func() { <-ch; d.Poll(make([]rdma.Completion, 1)) }, func() { s.Close() }
		},
	}
	for face, start := range faces {
		for _, name := range pathsAndShm() {
			t.Run(face+"/"+name, func(t *testing.T) {
				for range 5 {
					x, y := connect(t, name, func(_, passive *rdma.EndpointConfig) { passive.RecvDepth = fullReceives })
					receive, end := start(y.conn.RecvCompletions())
					for range fullReceives {
						must(t, y.conn.PostRecv(rdma.Recv{Into: y.mem.Slice(0, 64)}))
					}
					must(t, x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 64)}))
					receive()
					must(t, x.adapter.Close())
					<-y.conn.Context().Done()
					soon(t, nil, y.adapter.Close)
					end()
				}
			})
		}
	}
}

// soon fails the test if f does not return while nobody receives from ch.
func soon(t *testing.T, ch <-chan rdma.Completion, f func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		must(t, err)
		return
	case <-time.After(patience):
	}
	t.Error("it does not return while nobody receives")
	for {
		select {
		case <-ch: // so that it does
		case err := <-done:
			t.Fatal(err)
		}
	}
}
