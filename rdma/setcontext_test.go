package rdma_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// counting is a context that counts who waits for its end.
type counting struct {
	context.Context
	waits atomic.Int32
}

func (c *counting) AfterFunc(f func()) (stop func() bool) {
	c.waits.Add(1)
	undo := context.AfterFunc(c.Context, f)
	return func() bool { c.waits.Add(-1); return undo() }
}

// Value hides the context inside, which package context would turn to instead.
func (c *counting) Value(any) any { return nil }

// TestAClosedSetLeavesTheContextOfItsWaiter, which may live as long as the program.
func TestAClosedSetLeavesTheContextOfItsWaiter(t *testing.T) {
	for _, name := range pathsAndShm() {
		if name != "soft-tcp" && name != "soft-shm" || runtime.GOOS != "linux" {
			continue // waits there register nothing
		}
		base, cancel := context.WithCancel(t.Context())
		defer cancel()
		ctx := &counting{Context: base}
		a, p := connect(t, name)
		d := a.conn.RecvCompletions()
		asleep := func() {
			for end := time.Now().Add(patience); ctx.waits.Load() == 0; runtime.Gosched() {
				if time.Now().After(end) {
					t.Fatal("the waiter does not sleep")
				}
			}
		}
		for range 3 {
			set := event.NewSet()
			must(t, set.Add(d))
			got, over := make(chan struct{}, 1), make(chan struct{})
			go func() {
				defer close(over)
				var buf [4]rdma.Completion
				for {
					if _, err := set.Wait(ctx); err != nil {
						return
					}
					for n := d.Poll(buf[:]); n > 0; n = d.Poll(buf[:]) {
						got <- struct{}{}
					}
				}
			}()
			for range 5 { // a context that was used for waits in a row stays registered
				asleep()
				must(t, a.conn.PostRecv(rdma.Recv{Into: a.mem.Slice(0, 8)}))
				must(t, p.conn.Send(within(t), p.mem.Slice(0, 8)))
				<-got
			}
			asleep()
			must(t, set.Close())
			<-over
		}
		if n := ctx.waits.Load(); n != 0 {
			t.Errorf("%s: %d closed sets are left", name, n)
		}
	}
}
