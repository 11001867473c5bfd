package mailbox_test

import (
	"context"
	"errors"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// led is a mailbox and a sender between which calls have taken over from the intake's goroutine, and the next
// call that waits leads. On a path within the process calls never lead: then the test is over.
func led(t *testing.T, a *rdma.Adapter, cfg config) (*mailbox.Mailbox[order, receipt], *mailbox.Sender[order, receipt]) {
	t.Helper()
	b := listen(t, a, cfg)
	b.ComesSoon()
	s := dial(t, a, b, dialConfig{Async: true})
	if a.Name() == "soft-loop" {
		t.Skip("values take the short way")
	}
	for n := uint64(0); ; n++ {
		done := make(chan error)
		go func() {
			m, err := b.Receive(context.Background())
			if m.Value.ID != n {
				t.Errorf("value %d, not %d", m.Value.ID, n)
			}
			done <- err
		}()
		for range 200 { // the call waits
			mailbox.Yield()
		}
		leads := b.CallLeads()
		must(t, s.Send(t.Context(), order{ID: n}))
		must(t, <-done)
		must(t, s.Flush(t.Context()))
		if leads {
			return b, s
		}
	}
}

// receives is a call that waits and leads, for so long that nothing else looks after that.
func receives(t *testing.T, ctx context.Context, b *mailbox.Mailbox[order, receipt]) (done chan error, m *message) {
	t.Helper()
	done, m = make(chan error, 1), new(message)
	go func() {
		var err error
		*m, err = b.Receive(ctx)
		done <- err
	}()
	for !b.CallLeads() || !b.Unwatched() {
		mailbox.Yield()
	}
	return done, m
}

// TestStaysAway: a program that has taken over, and receives nothing any more, holds up nobody.
func TestStaysAway(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b, s := led(t, a, config{})
		for _, cancelled := range []bool{false, true} {
			ctx, cancel := context.WithCancel(t.Context())
			done, _ := receives(t, ctx, b)
			if cancelled {
				cancel()
				<-done
			} else {
				must(t, s.Send(t.Context(), order{}))
				must(t, <-done)
				cancel()
			}
			for n := range 3 * 16 { // more than a window
				must(t, s.Send(t.Context(), order{}))
				if n%5 == 0 {
					must(t, s.Flush(t.Context()))
				}
			}
			must(t, s.Flush(t.Context()))
			if n := b.Len(); n != 3*16 {
				t.Errorf("%d values in the mailbox", n)
			}
			if !b.IntakeLeads() {
				t.Error("nobody leads")
			}
			for b.Len() > 0 {
				<-b.C()
			}
		}
	})
}

// TestAnswersOfOneWhoStaysAway leave: the program has answered a part of what it has taken.
func TestAnswersOfOneWhoStaysAway(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b, s := led(t, a, config{})
		var asks [3]mailbox.Pending[order, receipt]
		for i := range asks {
			var err error
			asks[i], err = s.Go(t.Context(), order{ID: uint64(i)})
			must(t, err)
		}
		flushed := make(chan error)
		go func() { flushed <- s.Flush(context.Background()) }() // lets them leave
		ms := make([]message, 8)
		n, err := b.ReceiveBatch(t.Context(), ms, len(asks))
		must(t, err)
		if n != len(asks) {
			t.Fatal(n)
		}
		must(t, ms[0].Reply(receipt{ID: 7})) // and the others may follow
		answer, err := asks[0].Wait(t.Context())
		must(t, err)
		if answer.ID != 7 {
			t.Error(answer)
		}
		for i := 1; i < n; i++ { // the second waits for the third, and the program does not come
			must(t, ms[i].Reply(receipt{}))
			_, err := asks[i].Wait(t.Context())
			must(t, err)
		}
		must(t, <-flushed)
	})
}

// TestEndsOfACallThatLeads: its context, the mailbox, the adapter.
func TestEndsOfACallThatLeads(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b, s := led(t, a, config{})
		ctx, cancel := context.WithCancel(t.Context())
		done, _ := receives(t, ctx, b)
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		done, m := receives(t, t.Context(), b)
		must(t, s.Send(t.Context(), order{ID: 5}))
		if must(t, <-done); m.Value.ID != 5 {
			t.Error(m.Value)
		}
		done, _ = receives(t, t.Context(), b)
		must(t, b.Close())
		if err := <-done; !errors.Is(err, rdma.ErrClosed) {
			t.Error(err)
		}
		if _, err := b.Receive(t.Context()); !errors.Is(err, rdma.ErrClosed) {
			t.Error(err)
		}

		b, _ = led(t, a, config{})
		done, _ = receives(t, t.Context(), b)
		must(t, a.Close())
		if err := <-done; !errors.Is(err, rdma.ErrClosed) {
			t.Error(err)
		}
	})
}
