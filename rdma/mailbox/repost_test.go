package mailbox_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestReceivesThatCannotBePosted end the connection, on either side: the first ones, and those that are used again. With
// a receive less, both sides would wait for each other. On one processor, as worlds run.
func TestReceivesThatCannotBePosted(t *testing.T) {
	for _, side := range []string{"mailbox", "sender"} {
		for _, n := range []int{0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89} { // the first ones are posted before the connection is made
			t.Run(fmt.Sprintf("%s/receive %d", side, n+1), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := rdmatest.NewWorld(t, 1)
					h := w.Host(side)
					h.Faults().SetNth(rdmatest.PostReceive, rdma.ErrResources, n+1)
					if cause := repost(t, w); side == "sender" && cause != nil && !strings.Contains(cause.Error(), "could not be posted") {
						t.Errorf("the cause is %v", cause)
					}
					if w.Fired()["fail "+rdmatest.PostReceive.String()] != 1 {
						t.Error("no receive has failed")
					}
				})
			})
		}
	}
}

// repost asks until the connection ends, and returns the cause. It must, since a receive fails.
func repost(t *testing.T, w *rdmatest.World) (cause error) {
	ctx, cancel := context.WithTimeout(w.Context(), time.Minute) // of the world's time
	defer cancel()
	here, err := w.Host("mailbox").Open(ctx, rdma.OpenConfig{})
	must(t, err)
	there, err := w.Host("sender").Open(ctx, rdma.OpenConfig{})
	must(t, err)
	b, err := mailbox.Listen(ctx, here, "mailbox:7471", config{Depth: 1, Window: 2, Asks: 1})
	must(t, err)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		for {
			m, err := b.Receive(ctx)
			if err != nil {
				return
			}
			_ = m.Reply(receipt{ID: m.Value.ID})
		}
	}()
	s, err := mailbox.Dial(ctx, there, b.Addr().String(), dialConfig{})
	for i := 0; err == nil && i < 300; i++ {
		_, err = s.Ask(ctx, order{ID: 1})
	}
	if err == nil || ctx.Err() != nil {
		t.Error("the connection has not ended")
	}
	if s != nil {
		var lost *mailbox.Lost
		_ = s.Close()
		<-s.Context().Done()
		if cause = context.Cause(s.Context()); !errors.As(cause, &lost) {
			t.Errorf("its context ended with %v", cause)
		}
	}
	must(t, b.Close())
	<-answered
	return cause
}
