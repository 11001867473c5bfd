package rdma_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// TestTheEndReachesAChannel: the end of a connection comes right behind its last message. The goroutine of a channel,
// which reads the connection, passes the message on and does not miss the end.
func TestTheEndReachesAChannel(t *testing.T) {
	const receives = 4
	for _, name := range pathsAndShm() {
		t.Run(name, func(t *testing.T) {
			rounds := 60
			if !soft(name) {
				rounds = 5
			}
			for round := range rounds {
				x, y := connect(t, name)
				for range receives {
					must(t, y.conn.PostRecv(rdma.Recv{Into: y.mem.Slice(0, 64)}))
				}
				ch := y.conn.RecvCompletions().C()
				must(t, x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 64)})) // by now the goroutine is parked, or soon
				if c := <-ch; c.Status != rdma.StatusOK {
					t.Fatal(c.Err())
				}
				must(t, x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 64)}))
				must(t, x.conn.BeginShutdown())
				for i := range receives - 1 {
					select {
					case <-ch:
					case <-time.After(patience):
						t.Fatalf("round %d: completion %d does not come; the connection is %v", round, i, y.conn.State())
					}
				}
				ends(t, "Close", func() { must(t, x.adapter.Close()); must(t, y.adapter.Close()) })
			}
		})
	}
}

// TestTheEndBehindAPausedChannel: while a channel's goroutine is busy with a message, the last message and the end
// arrive together.
func TestTheEndBehindAPausedChannel(t *testing.T) {
	const receives = 4
	for _, name := range pathsAndShm() {
		t.Run(name, func(t *testing.T) {
			taken, pass := make(chan struct{}, receives), make(chan struct{}, 1)
			d := event.New[rdma.Completion](event.Config{})
			defer d.Close()
			x, y := newSide(t, name), newSide(t, name)
			q, err := y.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Sink: rdma.NewSink(d, func(to *rdma.Completion, c *rdma.Completion) {
				taken <- struct{}{}
				<-pass
				*to = *c
			})})
			must(t, err)
			join(t, x, y, rdma.EndpointConfig{Zone: x.zone}, rdma.EndpointConfig{Zone: y.zone, RecvCQ: q})
			for range receives {
				must(t, y.conn.PostRecv(rdma.Recv{Into: y.mem.Slice(0, 64)}))
			}
			ch := d.C()
			pass <- struct{}{}
			must(t, x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 64)}))
			<-ch // the goroutine is parked, or soon
			must(t, x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 64)}))
			<-taken
			<-taken
			must(t, x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 64)}))
			must(t, x.conn.BeginShutdown())
			ends(t, "the sends", func() {
				for x.conn.State() == rdma.StateConnected {
					runtime.Gosched()
				}
			})
			close(pass)
			for i := range receives - 1 {
				select {
				case <-ch:
				case <-time.After(patience):
					t.Fatalf("completion %d does not come; the connection is %v", i, y.conn.State())
				}
			}
		})
	}
}

// TestAMemberIsWaitedForDirectly: the waiter of a set has departed, and a message has come meanwhile. A wait for
// the member itself, or the start of its channel, tells the connection so, which finds the message at that moment.
func TestAMemberIsWaitedForDirectly(t *testing.T) {
	faces := map[string]func(d *event.Dispatcher[rdma.Completion]){
		"C":       func(d *event.Dispatcher[rdma.Completion]) { <-d.C(); d.StopChan() },
		"Batches": func(d *event.Dispatcher[rdma.Completion]) { <-d.Batches(event.BatchConfig{}); d.StopChan() },
		"Wait": func(d *event.Dispatcher[rdma.Completion]) {
			if _, _, err := d.WaitTimeout(patience, 1); err != nil {
				t.Error(err)
			}
		},
	}
	for face, take := range faces {
		for _, name := range pathsAndShm() {
			t.Run(face+"/"+name, func(t *testing.T) {
				x, y := connect(t, name)
				d := y.conn.RecvCompletions()
				s := event.NewSet()
				defer s.Close()
				must(t, s.Add(d))
				var list [4]rdma.Completion
				rounds := 50
				if !soft(name) {
					rounds = 5
				}
				for range rounds {
					for range 2 {
						must(t, y.conn.PostRecv(rdma.Recv{Into: y.mem.Slice(0, 64)}))
					}
					sent := make(chan error, 1)
					go func() { sent <- x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 64)}) }()
					_, err := s.Wait(within(t))
					must(t, err)
					must(t, <-sent)
					for d.Poll(list[:]) > 0 {
					}
					must(t, x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 64)}))
					ends(t, face, func() { take(d) })
				}
			})
		}
	}
}
