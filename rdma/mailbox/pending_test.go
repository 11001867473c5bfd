package mailbox_test

import (
	"context"
	"errors"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
	"github.com/godapl/godapl/rdma/mem"
)

// TestPendingAsks: one goroutine has several asks under way, and takes the answers in any order, each once.
func TestPendingAsks(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		const depth = 8
		b := listen(t, a, config{Asks: depth})
		s := dial(t, a, b, dialConfig{})
		go func() {
			for m := range b.C() {
				if m.Value.ID%10 == 9 {
					_ = m.Decline("no")
				} else {
					_ = m.Reply(receipt{ID: m.Value.ID})
				}
			}
		}()
		var ring [depth]mailbox.Pending[order, receipt]
		for n := range uint64(500) {
			i := n * 3 % depth
			if old := ring[i]; n >= depth {
				id := n - depth
				r, err := old.Wait(t.Context())
				if declined := id%10 == 9; errors.Is(err, mailbox.ErrDeclined) != declined || !declined && (err != nil || r.ID != id) {
					t.Fatalf("ask %d: %+v, %v", id, r, err)
				}
				if _, err := old.Wait(t.Context()); !errors.Is(err, rdma.ErrState) {
					t.Fatalf("a second wait: %v", err)
				}
			}
			p, err := s.Go(t.Context(), order{ID: n})
			must(t, err)
			if _, err := ring[i].Wait(t.Context()); !errors.Is(err, rdma.ErrState) { // its memory is the new one's
				t.Fatalf("a late wait: %v", err)
			}
			ring[i] = p
		}
		bad := order{}
		mailbox.Spoil(&bad, 8, 2)
		p, err := s.Go(t.Context(), bad)
		must(t, err)
		if _, err := p.Wait(t.Context()); !errors.Is(err, mailbox.ErrNotDelivered) {
			t.Errorf("a value that is refused: %v", err)
		}
		must(t, s.Flush(t.Context())) // Wait has reported it
	})
}

// TestGoGathers: values of Go leave together when a call waits, when a message is full, and with Flush.
func TestGoGathers(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		r, s := rawMailbox(t, a, 16, 16, dialConfig{})
		ask := func() mailbox.Pending[order, receipt] {
			p, err := s.Go(t.Context(), order{})
			must(t, err)
			return p
		}
		next := func(records int) {
			t.Helper()
			var one [1]rdma.Message
			if _, err := r.inbox.Messages().WaitBatch(t.Context(), one[:]); err != nil {
				t.Fatal(err)
			}
			defer one[0].Release()
			if n := len(mailbox.Records(t, one[0].Bytes())); n != records {
				t.Errorf("%d values, not %d", n, records)
			}
		}
		first := ask()
		ask()
		if n := s.Left(); n != 0 {
			t.Errorf("%d values have left", n)
		}
		done := make(chan error)
		go func() {
			_, err := first.Wait(context.Background())
			done <- err
		}()
		next(2)
		region, err := r.Zone().Alloc(4096, mem.LocalRead)
		must(t, err)
		must(t, r.Send(t.Context(), region.Slice(0, mailbox.RawDecline(region.Bytes(), 1<<16|15))))
		if err := <-done; err == nil { // places are taken from the end
			t.Error("no error")
		}
	})
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		_, s := rawMailbox(t, a, 16, 16, dialConfig{})
		for n, left := range []uint64{0, 0, 0, 4, 4, 4} {
			_, err := s.Go(t.Context(), order{})
			must(t, err)
			if got := s.Left(); got != left {
				t.Errorf("%d of %d values have left, not %d", got, n+1, left)
			}
		}
		must(t, s.Flush(t.Context())) // does not wait for asks
		if n := s.Left(); n != 6 {
			t.Errorf("%d values have left", n)
		}
	})
}

// TestPendingIsGivenUp: a Wait whose context is done gives the ask up, and its place is used again.
func TestPendingIsGivenUp(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Asks: 1})
		s := dial(t, a, b, dialConfig{})
		done, cancel := context.WithCancel(t.Context())
		cancel()
		for n := range uint64(3) {
			p, err := s.Go(t.Context(), order{ID: n})
			must(t, err)
			if _, err := p.Wait(done); !errors.Is(err, mailbox.ErrUnknown) || !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			m := <-b.C()
			must(t, m.Reply(receipt{}))
		}
		p, err := s.Go(t.Context(), order{})
		must(t, err)
		must(t, s.Flush(t.Context()))
		m := <-b.C()
		must(t, m.Reply(receipt{ID: 7}))
		if n, err := s.Go(t.Context(), order{}); err != nil { // the answer is there: its place was free
			t.Error(n, err)
		}
		if r, err := p.Wait(done); err != nil || r.ID != 7 {
			t.Errorf("an answer that is there: %+v, %v", r, err)
		}
	})
}

// TestAnswerThatNoCallHasTaken: what has arrived while no call waited is there for one whose context is done.
func TestAnswerThatNoCallHasTaken(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, mailbox.Config[string, string]{Values: shout(), Answers: shout()})
		s := dial(t, a, b, mailbox.DialConfig[string, string]{Values: shout(), Answers: shout(), Async: true})
		done, cancel := context.WithCancel(t.Context())
		cancel()
		p, err := s.Go(t.Context(), "hello")
		must(t, err)
		must(t, s.Flush(t.Context()))
		m, err := b.Receive(t.Context())
		must(t, err)
		must(t, m.Reply(m.Value))
		s.Heard(t)
		if answer, err := p.Wait(done); err != nil || answer != "hello" {
			t.Errorf("an answer that is there: %q, %v", answer, err)
		}
		must(t, s.Send(t.Context(), "hello"))
		s.Heard(t)
		must(t, s.Flush(done))
	})
}

// TestPendingAtTheEnd: what has left is unknown, the rest was not delivered. Nothing can be asked then.
func TestPendingAtTheEnd(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		_, s := rawMailbox(t, a, 16, 16, dialConfig{})
		var all []mailbox.Pending[order, receipt]
		for range 6 {
			p, err := s.Go(t.Context(), order{})
			must(t, err)
			all = append(all, p)
		}
		s.Abort()
		<-s.Context().Done()
		for i, p := range all {
			_, err := p.Wait(t.Context())
			if errors.Is(err, mailbox.ErrUnknown) != (i < 4) || errors.Is(err, mailbox.ErrNotDelivered) != (i >= 4) {
				t.Errorf("ask %d: %v", i, err)
			}
			if _, err := p.Wait(t.Context()); !errors.Is(err, rdma.ErrState) {
				t.Errorf("a second wait: %v", err)
			}
		}
		if _, err := s.Go(t.Context(), order{}); !errors.Is(err, mailbox.ErrNotDelivered) {
			t.Error(err)
		}
		if lost := new(mailbox.Lost); !errors.As(context.Cause(s.Context()), &lost) || lost.Delivered != 0 || lost.Unknown != 4 {
			t.Error(context.Cause(s.Context()))
		}
	})
}

// TestAnswersOfABatch: they all leave, with the last of the batch or when it is not answered at all.
func TestAnswersOfABatch(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		const depth = 12
		b := listen(t, a, config{Window: 64, Asks: depth})
		s := dial(t, a, b, dialConfig{Window: 64, Asks: depth})
		for answered := range depth + 1 {
			var all [depth]mailbox.Pending[order, receipt]
			for n := range all {
				p, err := s.Go(t.Context(), order{ID: uint64(n)})
				must(t, err)
				all[n] = p
			}
			must(t, s.Flush(t.Context()))
			var ms [depth + 3]message
			n, err := b.ReceiveBatch(t.Context(), ms[:], depth)
			must(t, err)
			for _, m := range ms[:answered] {
				must(t, m.Reply(receipt{ID: m.Value.ID}))
			}
			for i, p := range all[:answered] {
				if r, err := p.Wait(t.Context()); err != nil || r.ID != uint64(i) {
					t.Fatalf("%+v, %v", r, err)
				}
			}
			for _, m := range ms[answered:n] {
				must(t, m.Decline("late"))
			}
			for _, p := range all[answered:] {
				if _, err := p.Wait(t.Context()); !errors.Is(err, mailbox.ErrDeclined) {
					t.Fatal(err)
				}
			}
		}
	})
}
