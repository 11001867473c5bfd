package mailbox_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
	"github.com/godapl/godapl/rdma/mem"
)

// Values of Go leave when any call of their sender waits, also those that the mailbox has no receive for by then.

// until waits for what other goroutines do.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); mailbox.Yield() {
		if time.Now().After(end) {
			t.Fatal("not in time: ", what)
		}
	}
}

// comes takes messages until one has the number.
func comes(t *testing.T, from <-chan message, id uint64) (m message) {
	t.Helper()
	late := time.After(30 * time.Second)
	for m.Value.ID != id {
		select {
		case m = <-from:
		case <-late:
			t.Fatalf("value %d has not left, although a call has waited", id)
		}
	}
	return m
}

// TestValuesLeaveBehindACallThatReturns: its answer comes, while a value that was gathered before it waits for a receive.
func TestValuesLeaveBehindACallThatReturns(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Depth: 1})
		s := dial(t, a, b, dialConfig{})
		first, err := s.Go(t.Context(), order{ID: 1})
		must(t, err)
		for n := range uint64(2) {
			_, err = s.Go(t.Context(), order{ID: 2 + n})
			must(t, err)
		}
		for n := range uint64(3) {
			must(t, s.TrySend(order{ID: 4 + n}))
		}
		_, err = s.Go(t.Context(), order{ID: 7}) // on some paths there is no receive for a fifth message
		must(t, err)
		done := make(chan error, 1)
		go func() { _, err := first.Wait(context.Background()); done <- err }()
		until(t, "the call waits", func() bool { return s.Waiting() > 0 || s.Leads() || len(done) > 0 })
		m := comes(t, b.C(), 1)
		must(t, m.Reply(receipt{}))
		must(t, <-done)
		comes(t, b.C(), 7)
	})
}

// TestValuesLeaveBesideACallThatWasHanded to the mailbox without a message, in one process: it waits for its answer, and
// handles no completions.
func TestValuesLeaveBesideACallThatWasHanded(t *testing.T) {
	a, err := rdma.Open(t.Context(), "soft-loop", rdma.OpenConfig{})
	must(t, err)
	t.Cleanup(func() { _ = a.Close() })
	b := listen(t, a, config{Depth: 1})
	s, other := dial(t, a, b, dialConfig{}), dial(t, a, b, dialConfig{})
	first, err := s.Go(t.Context(), order{ID: 1})
	must(t, err)
	m := comes(t, b.C(), 1)
	must(t, other.Send(t.Context(), order{ID: 2})) // it is full
	for n := range uint64(4) {
		must(t, s.TrySend(order{ID: 10 + n}))
	}
	_, err = s.Go(t.Context(), order{ID: 20})
	must(t, err)
	waited := make(chan error, 1)
	go func() { _, err := first.Wait(context.Background()); waited <- err }()
	_ = comes(t, b.C(), 20).Reply(receipt{})
	must(t, m.Reply(receipt{}))
	must(t, <-waited)
}

// TestTheEndOfAPeerIsToldByAFullMailbox: the goroutine that takes its last values waits for room.
func TestTheEndOfAPeerIsToldByAFullMailbox(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Depth: 1})
		s := dial(t, a, b, dialConfig{})
		other := dial(t, a, b, dialConfig{Async: true})
		must(t, s.Send(t.Context(), order{ID: 1}))
		m := <-b.C()
		for n := range uint64(3) {
			must(t, other.Send(t.Context(), order{ID: 2 + n}))
		}
		until(t, "the mailbox is full", func() bool { return len(b.C()) == 1 })
		must(t, s.Close())
		select {
		case <-m.From().Context().Done():
		case <-time.After(30 * time.Second):
			t.Error("the end is not told")
		}
	})
}

// TestValuesLeaveBehindACallThatGivesUp: the mailbox has had no receive for them while the call waited for a place among the
// asks, or for room in the window. They leave when it has, although the program makes no other call.
func TestValuesLeaveBehindACallThatGivesUp(t *testing.T) {
	for _, asks := range []int{12, 16} {
		onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
			withoutReceives(t, a)
			r, s := rawMailbox(t, a, 16, asks, dialConfig{})
			for range 4 { // as many messages as may be under way
				must(t, s.TrySend(order{}))
			}
			for range 12 {
				_, err := s.Go(t.Context(), order{})
				must(t, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { _, err := s.Go(ctx, order{}); done <- err }()
			until(t, "the call waits", s.Leads)
			cancel()
			if err := <-done; !errors.Is(err, mailbox.ErrNotDelivered) || !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			region, err := r.Zone().Alloc(4096, mem.LocalRead)
			must(t, err)
			must(t, r.Send(t.Context(), region.Slice(0, mailbox.RawPlaced(region.Bytes(), 4))))
			until(t, "all values have left", func() bool { return s.Left() == 16 })
		})
	}
}
