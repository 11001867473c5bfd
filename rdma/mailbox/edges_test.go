package mailbox_test

import (
	"context"
	"errors"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
	"github.com/godapl/godapl/rdma/mem"
)

// TestNothingLeavesBehindTheEnd: a value after the end of the connection is not delivered, also with
// Async.
func TestNothingLeavesBehindTheEnd(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		for _, async := range []bool{false, true} {
			b := listen(t, a, config{})
			s := dial(t, a, b, dialConfig{Async: async})
			must(t, s.Send(t.Context(), order{}))
			(<-b.C()).Abort()
			<-s.Context().Done()
			if err := s.Send(t.Context(), order{}); !errors.Is(err, mailbox.ErrNotDelivered) {
				t.Errorf("async %t: %v", async, err)
			}
			if _, err := s.Ask(t.Context(), order{}); !errors.Is(err, mailbox.ErrNotDelivered) {
				t.Errorf("async %t, ask: %v", async, err)
			}
		}
	})
}

// TestNothingIsTakenBehindALostValue: Close ends the wait of a value for room, and those behind it
// are not taken although there is room then.
func TestNothingIsTakenBehindALostValue(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		for range 50 {
			b := listen(t, a, config{Depth: 1, Window: 16})
			s := dial(t, a, b, dialConfig{Async: true})
			for n := range uint64(17) {
				must(t, s.Send(context.Background(), order{ID: n}))
			}
			closed := make(chan error)
			go func() { closed <- b.Close() }()
			next := uint64(0)
			for m := range b.C() {
				if m.Value.ID != next {
					t.Fatalf("value %d, not %d", m.Value.ID, next)
				}
				next++
			}
			must(t, <-closed)
			<-s.Context().Done()
			if lost := new(mailbox.Lost); !errors.As(context.Cause(s.Context()), &lost) || lost.Delivered != next {
				t.Errorf("%d received, %v", next, context.Cause(s.Context()))
			}
		}
	})
}

// TestRefusalsAmongAnswers: an answer never tells a value as placed that is refused.
func TestRefusalsAmongAnswers(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{})
		s := dial(t, a, b, dialConfig{})
		go func() {
			for m := range b.C() {
				_ = m.Reply(receipt{})
			}
		}()
		bad := order{}
		mailbox.Spoil(&bad, 8, 2)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 3000 {
				if _, err := s.Ask(context.Background(), order{}); err != nil {
					t.Errorf("ask: %v", err)
					return
				}
			}
		}()
		for range 3000 {
			if err := s.Send(context.Background(), bad); !errors.Is(err, mailbox.ErrNotDelivered) {
				t.Errorf("send: %v", err)
				break
			}
		}
		<-done
	})
}

// TestAnswerToAnAskThatHasNotLeft: a mailbox that guesses the id of an ask which waits for its turn
// ends its connection.
func TestAnswerToAnAskThatHasNotLeft(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		withoutReceives(t, a)
		ln, err := a.Listen(t.Context(), address(a), rdma.ListenConfig{})
		must(t, err)
		defer ln.Close()
		both := make(chan struct{})
		done := make(chan error)
		go func() {
			zone, err := a.NewZone()
			must(t, err)
			region, err := zone.Alloc(4096, mem.Local)
			must(t, err)
			c, err := (<-ln.Requests()).Accept(context.Background(), rdma.EndpointConfig{Zone: zone, Private: mailbox.Welcome[order](1, 2)})
			must(t, err)
			<-both
			n := mailbox.RawDecline(region.Bytes(), 2<<16)
			_ = c.Send(context.Background(), region.Slice(0, n))
			<-c.Context().Done()
			done <- c.Close()
		}()
		s, err := mailbox.Dial(t.Context(), a, ln.Addr().String(), dialConfig{})
		must(t, err)
		asks := make(chan error, 2)
		for range 2 {
			go func() {
				_, err := s.Ask(context.Background(), order{})
				asks <- err
			}()
		}
		for s.Asking() != 2 {
			mailbox.Yield()
		}
		close(both)
		for range 2 {
			if err := <-asks; !errors.Is(err, mailbox.ErrProtocol) || errors.Is(err, mailbox.ErrDeclined) {
				t.Error(err)
			}
		}
		<-done
		must(t, s.Close())
	})
}

// TestGivenUpDials: senders that give up while they are accepted leave nothing behind, not even the
// news of their end.
func TestGivenUpDials(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Down: true})
		dialled := 0
		for i := range 200 {
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				for range i % 40 {
					mailbox.Yield()
				}
				cancel()
			}()
			if s, err := mailbox.Dial(ctx, a, b.Addr().String(), dialConfig{}); err == nil {
				dialled++
				must(t, s.Close())
			}
		}
		for b.Peers() > 0 {
			mailbox.Yield()
		}
		t.Logf("%d senders, %d ends", dialled, b.Len())
	})
}
