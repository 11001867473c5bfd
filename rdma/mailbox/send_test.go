package mailbox_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// TestManySendersKeepTheirOrder: more senders than the mailbox has places, each value once and in
// the order of its sender.
func TestManySendersKeepTheirOrder(t *testing.T) {
	const senders, values = 12, 200
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Depth: 5, Window: 3})
		var work sync.WaitGroup
		for i := range senders {
			s := dial(t, a, b, dialConfig{Async: i%2 == 0})
			work.Go(func() {
				for n := range uint64(values) {
					if err := s.Send(context.Background(), order{ID: n, Amount: int32(i)}); err != nil {
						t.Error(err)
						return
					}
				}
				if err := s.Flush(context.Background()); err != nil {
					t.Error(err)
				}
			})
		}
		next := map[*mailbox.Peer]uint64{}
		for range senders * values {
			m, err := b.Receive(t.Context())
			must(t, err)
			if m.Value.ID != next[m.From()] {
				t.Fatalf("value %d of %v, after %d", m.Value.ID, m.From(), next[m.From()])
			}
			next[m.From()]++
		}
		work.Wait()
		if len(next) != senders || b.Len() != 0 {
			t.Errorf("%d senders, %d values left", len(next), b.Len())
		}
	})
}

// TestAskIsAnswered: answers find their asks, whatever the order in which they are given.
func TestAskIsAnswered(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Window: 4, Asks: 6})
		s := dial(t, a, b, dialConfig{})
		const asks = 24
		var work sync.WaitGroup
		for i := range uint64(asks) {
			work.Go(func() {
				r, err := s.Ask(context.Background(), order{ID: i})
				if err != nil || r.ID != i || r.Total != i*i {
					t.Errorf("ask %d: %+v, %v", i, r, err)
				}
			})
		}
		var held []message
		for n := 0; n < asks; {
			m, err := b.Receive(t.Context())
			must(t, err)
			if held = append(held, m); len(held) == 3 || n+len(held) == asks {
				for i := range held { // the latest first
					m := held[len(held)-1-i]
					must(t, m.Reply(receipt{m.Value.ID, m.Value.ID * m.Value.ID}))
					if err := m.Reply(receipt{}); !errors.Is(err, rdma.ErrState) {
						t.Errorf("second reply: %v", err)
					}
				}
				n, held = n+len(held), held[:0]
			}
		}
		work.Wait()
	})
}

// TestDeclined: an ask that is not answered ends with the reason.
func TestDeclined(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{})
		s := dial(t, a, b, dialConfig{})
		done := make(chan error)
		go func() {
			_, err := s.Ask(context.Background(), order{})
			done <- err
		}()
		m := <-b.C()
		if err := (message{}).Decline(""); !errors.Is(err, rdma.ErrState) {
			t.Errorf("decline of no ask: %v", err)
		}
		must(t, m.Decline("out of stock"))
		if err := <-done; !errors.Is(err, mailbox.ErrDeclined) || errors.Is(err, mailbox.ErrNotDelivered) {
			t.Error(err)
		}
	})
}

// TestFullMailboxHoldsSendersBack: TrySend says so, Send waits, and a context ends the wait.
func TestFullMailboxHoldsSendersBack(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Depth: 2, Window: 2})
		s := dial(t, a, b, dialConfig{})
		sent := uint64(0)
		for {
			err := s.TrySend(order{ID: sent})
			if err != nil {
				if !errors.Is(err, mailbox.ErrFull) || !errors.Is(err, mailbox.ErrNotDelivered) {
					t.Fatal(err)
				}
				if b.Len() == 2 && sent == 4 {
					break // two in the mailbox, and a window
				}
				if sent > 4 {
					t.Fatalf("%d values", sent)
				}
				continue
			}
			sent++
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Send(ctx, order{}); !errors.Is(err, mailbox.ErrNotDelivered) || !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		for n := range sent {
			m, err := b.Receive(t.Context())
			must(t, err)
			if m.Value.ID != n {
				t.Errorf("value %d, not %d", m.Value.ID, n)
			}
		}
		must(t, s.Flush(t.Context()))
	})
}

// TestGivenUpAsk: a context that ends an ask leaves its place to the answer that comes late.
func TestGivenUpAsk(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Asks: 1})
		s := dial(t, a, b, dialConfig{})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := s.Ask(ctx, order{ID: 1})
			done <- err
		}()
		first := <-b.C()
		cancel()
		if err := <-done; !errors.Is(err, mailbox.ErrUnknown) || !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		must(t, first.Reply(receipt{ID: 1}))
		go func() {
			m := <-b.C()
			_ = m.Reply(receipt{ID: m.Value.ID})
		}()
		if r, err := s.Ask(t.Context(), order{ID: 2}); err != nil || r.ID != 2 {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// TestWhatACallHasWaitedFor: the error of a call whose context ends while it waits for room says so.
func TestWhatACallHasWaitedFor(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Depth: 1, Window: 1, Asks: 1})
		s := dial(t, a, b, dialConfig{Async: true})
		late, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := s.Go(t.Context(), order{})
		must(t, err)
		if _, err = s.Go(late, order{}); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "(Asks)") {
			t.Errorf("an ask beside the only one: %v", err)
		}
		for err = nil; err == nil; { // one is in the mailbox, one in the window
			err = s.Send(late, order{})
		}
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "(Window)") {
			t.Errorf("a value beside a full window: %v", err)
		}
	})
}
