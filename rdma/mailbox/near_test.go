package mailbox_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// TestShortWay: plain values within the process do not go over the connection, all others do; and
// the numbers at the end count them alike.
func TestShortWay(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{})
		s := dial(t, a, b, dialConfig{})
		for n := range uint64(10) {
			must(t, s.Send(t.Context(), order{ID: n}))
		}
		bad := order{}
		mailbox.Spoil(&bad, 8, 2)
		if err := s.Send(t.Context(), bad); !errors.Is(err, mailbox.ErrNotDelivered) {
			t.Error(err)
		}
		want := uint64(0)
		if a.Name() == "soft-loop" {
			want = 10
		}
		if n := s.Handed(); n != want {
			t.Errorf("%d values went the short way, not %d", n, want)
		}
		must(t, s.Close())
		if lost := new(mailbox.Lost); !errors.As(context.Cause(s.Context()), &lost) || lost.Delivered != 10 || lost.Unknown != 0 {
			t.Error(context.Cause(s.Context()))
		}
		texts := listen(t, a, mailbox.Config[text, mailbox.None]{})
		to := dial(t, a, texts, mailbox.DialConfig[text, mailbox.None]{})
		must(t, to.Send(t.Context(), text{"by its codec"}))
		if n := to.Handed(); n != 0 {
			t.Errorf("%d values of a codec went the short way", n)
		}
	})
}

// TestPlacesOfAsksAreUsedAgain: an ask that waits for a place hears of every one that is free, also
// of those of asks that were given up.
func TestPlacesOfAsksAreUsedAgain(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Asks: 1})
		s := dial(t, a, b, dialConfig{})
		ctx, cancel := context.WithCancel(t.Context())
		gaveUp := make(chan error)
		go func() {
			_, err := s.Ask(ctx, order{})
			gaveUp <- err
		}()
		first := <-b.C()
		var work sync.WaitGroup
		for n := range uint64(3) {
			work.Go(func() {
				if r, err := s.Ask(context.Background(), order{ID: n}); err != nil || r.ID != n {
					t.Errorf("%+v, %v", r, err)
				}
			})
		}
		for s.Waiting() < 3 {
			mailbox.Yield()
		}
		cancel()
		if err := <-gaveUp; !errors.Is(err, mailbox.ErrUnknown) {
			t.Error(err)
		}
		must(t, first.Reply(receipt{}))
		for range 3 {
			m := <-b.C()
			must(t, m.Reply(receipt{ID: m.Value.ID}))
		}
		work.Wait()
	})
}

// TestAnswersToNobody: the sender of an ask has gone, and its mailbox is told so.
func TestAnswersToNobody(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{})
		s := dial(t, a, b, dialConfig{})
		asked := make(chan error)
		go func() {
			_, err := s.Ask(context.Background(), order{})
			asked <- err
		}()
		m := <-b.C()
		must(t, s.Close())
		if err := <-asked; !errors.Is(err, mailbox.ErrUnknown) || !errors.Is(err, rdma.ErrClosed) {
			t.Error(err)
		}
		<-m.From().Context().Done()
		if err := m.Reply(receipt{}); err == nil {
			t.Error("replied")
		}
	})
}

// TestSendersMeetWithinTheProcessOnly: a peer that comes over another path has no sender here, whatever
// its number says.
func TestSendersMeetWithinTheProcessOnly(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{})
		s := dial(t, a, b, dialConfig{})
		hello, met, forget := mailbox.Introduce(s, 8, 8)
		defer forget()
		c := rawSender(t, a, b, hello)
		if within := c.Path() == "loop"; met() != within {
			t.Errorf("over %s: met %t", c.Path(), met())
		}
	})
}

// TestNumberOfAnother: another peer of the process dials a mailbox with the number of a sender, which
// is answered by somebody else. The sender takes no short way to that mailbox.
func TestNumberOfAnother(t *testing.T) {
	for name, welcome := range map[string][2]int{"window": {4, 8}, "asks": {8, 4}} {
		t.Run(name, func(t *testing.T) {
			a, err := rdma.Open(t.Context(), "soft-loop", rdma.OpenConfig{})
			must(t, err)
			t.Cleanup(func() { _ = a.Close() })
			b := listen(t, a, config{})
			ln, err := a.Listen(t.Context(), address(a), rdma.ListenConfig{})
			must(t, err)
			defer ln.Close()
			relayed := make(chan struct{})
			go func() {
				defer close(relayed)
				r := <-ln.Requests()
				other := rawSender(t, a, b, r.PrivateData())
				zone, err := a.NewZone()
				must(t, err)
				inbox, err := zone.NewInbox(rdma.InboxConfig{Receives: 16, Size: 256})
				must(t, err)
				c, err := r.Accept(context.Background(), rdma.EndpointConfig{Zone: zone, Inbox: inbox, Private: mailbox.Welcome[order](welcome[0], welcome[1])})
				must(t, err)
				<-c.Context().Done()
				must(t, c.Close())
				must(t, other.Close())
			}()
			s, err := mailbox.Dial(t.Context(), a, ln.Addr().String(), dialConfig{Window: 8, Asks: 8, Async: true})
			must(t, err)
			must(t, s.Send(t.Context(), order{}))
			if n := s.Handed(); n != 0 {
				t.Error("a value went to the wrong mailbox")
			}
			must(t, s.Close())
			<-relayed
		})
	}
}
