package rdma_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// TestRequestsOfPeersThatGaveUpLeave: they are not there any more for the program that
// takes the next one, and their places are free.
func TestRequestsOfPeersThatGaveUpLeave(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		if !soft(name) {
			t.Skip(name + " does not tell of peers that give up")
		}
		x, y := newSide(t, name), newSide(t, name)
		ln, err := y.adapter.Listen(within(t), anywhere(y.adapter), rdma.ListenConfig{Backlog: 3})
		must(t, err)
		defer ln.Close()
		dial := func(ctx context.Context, who string, waiting int) <-chan error {
			done := make(chan error, 1)
			go func() {
				c, err := x.adapter.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: x.zone, Private: []byte(who)})
				if err == nil {
					err = c.Close()
				}
				done <- err
			}()
			for patient := within(t); len(ln.Requests()) != waiting && patient.Err() == nil; {
				runtime.Gosched()
			}
			return done
		}
		ctx, giveUp := context.WithCancel(within(t))
		defer giveUp()
		first, second, third := dial(within(t), "first", 1), dial(ctx, "second", 2), dial(within(t), "third", 3)
		giveUp()
		wantCode(t, <-second, rdma.ErrCanceled, "the one that gave up")
		for patient := within(t); len(ln.Requests()) != 2; runtime.Gosched() {
			if patient.Err() != nil {
				t.Fatalf("%d requests wait, want 2", len(ln.Requests()))
			}
		}
		fourth := dial(within(t), "fourth", 3) // there is room for it
		for _, want := range []struct {
			who  string
			done <-chan error
		}{{"first", first}, {"third", third}, {"fourth", fourth}} {
			r := <-ln.Requests()
			if !private(y.adapter, r.PrivateData(), want.who) {
				t.Errorf("a request of %q, want the %s", r.PrivateData(), want.who)
			}
			must(t, r.Reject(nil))
			wantCode(t, <-want.done, rdma.ErrRejected, want.who)
		}
	})
}
