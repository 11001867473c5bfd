package mailbox_test

import (
	"context"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
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
