package mailbox_test

import (
	"errors"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
	"github.com/godapl/godapl/rdma/mem"
)

// TestMemoryOfAnswers: the mailbox's own configuration bounds it, and not what a sender says.
func TestMemoryOfAnswers(t *testing.T) {
	type (
		config = mailbox.Config[uint64, []byte]
		dialer = mailbox.DialConfig[uint64, []byte]
	)
	const limit = 200_000
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Answers: blobs(nil), MaxAnswer: 90_000, AnswerMemory: limit})
		s := dial(t, a, b, dialer{Answers: blobs(nil), MaxAnswer: 1 << 20})
		ask := func(bytes int) error {
			done := make(chan error)
			go func() {
				answer, err := s.Ask(t.Context(), 1)
				if err == nil && len(answer) != bytes {
					t.Errorf("an answer of %d bytes, not %d", len(answer), bytes)
				}
				done <- err
			}()
			m := <-b.C()
			err := m.Reply(blob(1, bytes))
			if errors.Is(err, rdma.ErrResources) {
				_ = m.Decline("no room") // it is still open
			}
			if asked := <-done; (asked == nil) != (err == nil) || asked != nil && !errors.Is(asked, mailbox.ErrDeclined) {
				t.Errorf("%d bytes: replied %v, asked %v", bytes, err, asked)
			}
			return err
		}
		for _, bytes := range []int{8, 1000, 1024, 1025, 5000, 90_000} {
			must(t, ask(bytes))
			if n := b.AnswersUsed(); n > limit {
				t.Errorf("%d bytes for an answer of %d", n, bytes)
			}
		}
		if err := ask(90_001); !errors.Is(err, rdma.ErrLength) {
			t.Error(err)
		}
		if a.Name() == "soft-tcp" {
			return // the socket takes the answers of a sender that does not
		}
		withoutReceives(t, a)
		zone, err := a.NewZone()
		must(t, err)
		region, err := zone.Alloc(4096, mem.LocalRead)
		must(t, err)
		c, err := a.Dial(t.Context(), b.Addr().String(), rdma.EndpointConfig{Zone: zone, Private: mailbox.AnswerHello[uint64]("blob", 8, 8)})
		must(t, err)
		defer c.Close()
		for n := range uint64(4) {
			must(t, c.Send(t.Context(), region.Slice(0, mailbox.RawAsk(region.Bytes(), n+1, (n+1)<<16|n))))
		}
		for n := range 4 {
			m := <-b.C()
			for range 2 {
				err := m.Reply(blob(1, 80_000))
				if used := b.AnswersUsed(); used > limit {
					t.Errorf("%d bytes", used)
				}
				switch {
				case err == nil && n < 1:
				case errors.Is(err, rdma.ErrState) && n < 1: // the second time
				case errors.Is(err, rdma.ErrResources) && n >= 1: // both times: it is still open
				default:
					t.Errorf("reply %d: %v", n, err)
				}
			}
		}
		must(t, ask(90_000)) // of another sender, which has its share
	})
}

// TestSlotsThatAreThere: the answers to one sender have half of a small memory, although a chunk of
// slots takes all of it.
func TestSlotsThatAreThere(t *testing.T) {
	const limit, slot = 2048, 64 // a chunk, of 32 slots
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		if a.Name() == "soft-tcp" {
			t.Skip("the socket takes the answers of a sender that does not")
		}
		withoutReceives(t, a)
		b := listen(t, a, config{AnswerMemory: limit, Window: 64, Asks: 64})
		s := dial(t, a, b, dialConfig{})
		for range 2 { // what the first one has comes back with its end
			zone, err := a.NewZone()
			must(t, err)
			region, err := zone.Alloc(4096, mem.LocalRead)
			must(t, err)
			c, err := a.Dial(t.Context(), b.Addr().String(), rdma.EndpointConfig{Zone: zone, Private: mailbox.Hello[order, receipt](64, 64)})
			must(t, err)
			var m message
			for n := range uint64(limit / slot) {
				must(t, c.Send(t.Context(), region.Slice(0, mailbox.RawAsk(region.Bytes(), order{ID: n}, (n+1)<<16|n))))
				m = <-b.C()
				err := m.Reply(receipt{})
				if want := n < limit/slot/2; (err == nil) != want || err != nil && !errors.Is(err, rdma.ErrResources) {
					t.Fatalf("answer %d: %v", n+1, err)
				}
				if used := b.AnswersUsed(); used > limit {
					t.Errorf("%d bytes", used)
				}
			}
			other := make(chan error)
			go func() {
				_, err := s.Ask(t.Context(), order{})
				other <- err
			}()
			must(t, (<-b.C()).Reply(receipt{}))
			must(t, <-other)
			must(t, c.Close())
			<-m.From().Context().Done()
		}
	})
}
