package rdma_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// ends fails the test if f does not return.
func ends(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { f(); close(done) }()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal(what + " does not return")
	}
}

// TestEndsThatMeet: connections with a shared receive queue end at the same time, and one dispatcher takes their ends
// and their completions. The goroutine that reports an end polls for the completions before it, and finds the next end there.
func TestEndsThatMeet(t *testing.T) {
	type anything struct{ over *rdma.Endpoint }
	for _, name := range pathsAndShm() {
		t.Run(name, func(t *testing.T) {
			x, y := newSide(t, name), newSide(t, name)
			d := event.New[anything](event.Config{Depth: 4096})
			defer d.Close()
			q, err := y.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 1024, Sink: rdma.NewSink(d, func(*anything, *rdma.Completion) {})})
			must(t, err)
			srq, err := y.zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{Depth: 64})
			must(t, err)
			rounds := 40
			if !soft(name) {
				rounds = 4
			}
			for range rounds {
				var xs, ys []*rdma.Conn
				for range 4 {
					join(t, x, y, rdma.EndpointConfig{Zone: x.zone}, rdma.EndpointConfig{Zone: y.zone, SendCQ: q, RecvCQ: q, SharedReceives: srq,
						ConnEvents: rdma.NewSink(d, func(to *anything, e *rdma.ConnEvent) {
							if e.Kind != rdma.Established {
								to.over = e.Endpoint
							}
						})})
					xs, ys = append(xs, x.conn), append(ys, y.conn)
				}
				var list [64]anything
				d.Poll(list[:])
				ends(t, "Abort", func() {
					for _, c := range xs[1:] {
						_ = c.Endpoint().Abort()
					}
					_ = ys[0].Endpoint().Abort()
				})
				ends(t, "Close", func() {
					for i := range xs {
						_ = xs[i].Close()
						_ = ys[i].Close()
					}
				})
				var over []*rdma.Endpoint
				for n := d.Poll(list[:]); n > 0; n = d.Poll(list[:]) {
					for _, ev := range list[:n] {
						if ev.over != nil {
							over = append(over, ev.over)
						}
					}
				}
				if len(over) != len(ys) {
					t.Fatalf("%d ends were reported before Close has returned, want %d", len(over), len(ys))
				}
				for _, c := range ys {
					if !slices.Contains(over, c.Endpoint()) {
						t.Error("an end is missing")
					}
				}
			}
		})
	}
}

// TestAnEndThatEndsAnother: a program that learns of the end of a connection aborts another one.
func TestAnEndThatEndsAnother(t *testing.T) {
	for _, name := range pathsAndShm() {
		t.Run(name, func(t *testing.T) {
			x, y := newSide(t, name), newSide(t, name)
			srq, err := y.zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{Depth: 64})
			must(t, err)
			var other [2]atomic.Pointer[rdma.Endpoint]
			var conns [2]*rdma.Conn
			for i := range conns {
				join(t, x, y, rdma.EndpointConfig{Zone: x.zone}, rdma.EndpointConfig{Zone: y.zone, SharedReceives: srq,
					ConnEvents: rdma.SinkFunc(func(e *rdma.ConnEvent) bool {
						if o := other[1-i].Load(); e.Kind != rdma.Established && o != nil {
							_ = o.Abort()
						}
						return true
					})})
				conns[i] = y.conn
			}
			for i := range conns {
				other[i].Store(conns[i].Endpoint())
			}
			ends(t, "Abort", func() {
				_ = conns[0].Endpoint().Abort()
				for _, c := range conns {
					<-c.Context().Done()
				}
			})
		})
	}
}

// TestListenersThatHandOffToEachOther: each handles a request of its own at that moment.
func TestListenersThatHandOffToEachOther(t *testing.T) {
	for _, name := range pathsAndShm() {
		t.Run(name, func(t *testing.T) {
			if !soft(name) {
				t.Skip("a device calls the functions of its listeners one after the other")
			}
			x, y := newSide(t, name), newSide(t, name)
			var lns [2]*rdma.Listener
			var arrived atomic.Int32
			both, made := make(chan struct{}), make(chan struct{})
			for i := range lns {
				var err error
				lns[i], err = y.adapter.Listen(within(t), anywhere(y.adapter), rdma.ListenConfig{Sink: rdma.SinkFunc(func(r *rdma.ConnRequest) bool {
					<-made
					n := arrived.Add(1)
					if n > 2 { // handed off
						return r.Reject([]byte("no")) == nil
					}
					if n == 2 {
						close(both)
					}
					<-both
					return r.HandOff(lns[1-i]) == nil
				})})
				must(t, err)
			}
			close(made)
			done := make(chan error)
			for i := range lns {
				go func() {
					_, err := x.adapter.Dial(within(t), lns[i].Addr().String(), rdma.EndpointConfig{Zone: x.zone})
					done <- err
				}()
			}
			ends(t, "Dial", func() {
				for range lns {
					wantCode(t, <-done, rdma.ErrRejected, "a request that was handed off")
				}
			})
			ends(t, "Close", func() { lns[0].Close(); lns[1].Close() })
		})
	}
}
