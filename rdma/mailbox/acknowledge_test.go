package mailbox_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
	"github.com/godapl/godapl/rdma/mem"
)

// TestAsksAreAcknowledgedByTheirAnswers: an ask costs a message each way while its sender's window has
// room; with a full window the sender is told, since it could send nothing else before an answer.
func TestAsksAreAcknowledgedByTheirAnswers(t *testing.T) {
	const answer, placed = 3, 5 // kinds
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Window: 4, Asks: 4})
		s := rawSender(t, a, b, mailbox.Hello[order, receipt](4, 4))
		region, err := s.Zone().Alloc(4096, mem.LocalRead)
		must(t, err)
		asked, sent := uint64(0), uint64(0)
		ask := func() message {
			n := mailbox.RawAsk(region.Bytes(), order{ID: asked}, (asked+1)<<16|asked%4)
			asked++
			sent++
			must(t, s.Send(t.Context(), region.Slice(0, n)))
			return <-b.C()
		}
		for range 20 { // three at a time
			for _, m := range []message{ask(), ask(), ask()} {
				must(t, m.Reply(receipt{}))
			}
			asked++ // so that the places are used in turns
			for range 3 {
				if k, n := s.next(t); k != answer || n != sent {
					t.Fatalf("kind %d, which tells %d of %d values", k, n, sent)
				}
			}
		}
		for range 4 {
			ask()
		}
		if k := s.kind(t); k != placed {
			t.Errorf("kind %d", k)
		}
	})
}

// TestAsksAreAcknowledgedBeforeTheyAreCounted: the program takes an ask that has waited for room, and
// answers it before the group has counted it. The answer tells it, and it is counted once.
func TestAsksAreAcknowledgedBeforeTheyAreCounted(t *testing.T) {
	const answer, decline = 3, 4 // kinds
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Depth: 1, Window: 8, Asks: 8})
		s := rawSender(t, a, b, mailbox.Hello[order, receipt](8, 8))
		region, err := s.Zone().Alloc(4096, mem.LocalRead)
		must(t, err)
		ask := func(id uint64) {
			must(t, s.Send(t.Context(), region.Slice(0, mailbox.RawAsk(region.Bytes(), order{ID: id}, id<<16|id))))
		}
		check := func(kind byte, placed uint64) {
			t.Helper()
			if k, n := s.next(t); k != kind || n != placed {
				t.Fatalf("kind %d, which tells %d values, not kind %d and %d", k, n, kind, placed)
			}
		}
		ask(1)
		first := <-b.C()
		ask(2)
		for b.Len() == 0 {
			mailbox.Yield()
		}
		late := func(id uint64, take func(m message)) {
			t.Helper()
			if !first.TakenBeforeCounted(id<<16|id, take) {
				t.Fatal("there was room")
			}
		}
		late(3, func(m message) {
			must(t, m.Reply(receipt{}))
			check(answer, 3)
			if err := m.Reply(receipt{}); !errors.Is(err, rdma.ErrState) {
				t.Error(err)
			}
		})
		late(4, func(m message) {
			must(t, m.Decline("no"))
			check(decline, 4)
		})
		var open message
		late(5, func(m message) { // it is counted behind the answer to another one, and not by that
			open = m
			must(t, first.Reply(receipt{}))
			check(answer, 4)
		})
		must(t, open.Reply(receipt{}))
		check(answer, 5)
		late(6, func(m message) { // it is counted once, although its answer does not leave
			m.CloseEndpoint()
			_ = m.Reply(receipt{}) // an error, unless it waits for the answer to the message in the mailbox
		})
		if n := first.Counted(); n != 6 {
			t.Errorf("%d values, not 6", n)
		}
	})
}

// TestAnsweredAsksWereDelivered: in a mailbox that is always full, too, no ask with an answer is
// unknown at the end.
func TestAnsweredAsksWereDelivered(t *testing.T) {
	const askers, each = 6, 40
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Depth: 1})
		go func() {
			for m := range b.C() {
				_ = m.Reply(receipt{})
			}
		}()
		s := dial(t, a, b, dialConfig{})
		var work sync.WaitGroup
		for range askers {
			work.Go(func() {
				for range each {
					if _, err := s.Ask(context.Background(), order{}); err != nil {
						t.Errorf("ask: %v", err)
					}
				}
			})
		}
		work.Wait()
		s.Abort()
		<-s.Context().Done()
		if lost := new(mailbox.Lost); !errors.As(context.Cause(s.Context()), &lost) || lost.Delivered != askers*each || lost.Unknown != 0 {
			t.Error(context.Cause(s.Context()))
		}
	})
}
