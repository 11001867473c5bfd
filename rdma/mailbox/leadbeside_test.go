package mailbox_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// TestSendersComeWhileACallLeads: more than there is room for in the first completion queue.
func TestSendersComeWhileACallLeads(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b, _ := led(t, a, config{})
		done, _ := receives(t, t.Context(), b)
		var last *mailbox.Sender[order, receipt]
		for range 60 {
			last = dial(t, a, b, dialConfig{Async: true})
		}
		if need, depth := b.IntakeDepth(); need > depth || need <= mailbox.FirstIntake {
			t.Errorf("%d completions, room for %d", need, depth)
		}
		must(t, last.Send(t.Context(), order{}))
		must(t, <-done)
	})
}

// TestALocalSenderWhileACallLeads: what takes the short way is no completion, and reaches the call nevertheless.
func TestALocalSenderWhileACallLeads(t *testing.T) {
	a, err := rdma.Open(t.Context(), "soft", rdma.OpenConfig{})
	must(t, err)
	defer a.Close()
	b := listen(t, a, config{})
	b.ComesSoon()
	for range 10 {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := b.Receive(ctx)
			done <- err
		}()
		for range 200 {
			mailbox.Yield()
		}
		cancel()
		<-done
	}
	done, _ := receives(t, t.Context(), b)
	s := dial(t, a, b, dialConfig{})
	must(t, s.Send(t.Context(), order{}))
	must(t, <-done)
	if s.Handed() != 1 {
		t.Error("the value has not taken the short way")
	}
}

// TestFullWhileACallLeads: a mailbox with room for one message, whose senders leave all at once. The call has
// everything, in the order of each sender, and what it has no room for waits.
func TestFullWhileACallLeads(t *testing.T) {
	for _, batch := range []int{0, 3} {
		t.Run(fmt.Sprint(batch), func(t *testing.T) { fullWhileACallLeads(t, batch) })
	}
}

func fullWhileACallLeads(t *testing.T, batch int) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		const senders, values = 8, 20
		b, first := led(t, a, config{Depth: 1, Down: true})
		must(t, first.Close())
		var work sync.WaitGroup
		for range senders {
			s := dial(t, a, b, dialConfig{Async: true})
			work.Go(func() {
				for n := range uint64(values) {
					if err := s.Send(context.Background(), order{ID: n}); err != nil {
						t.Error(err)
					}
				}
				if err := s.Flush(context.Background()); err != nil {
					t.Error(err)
				}
				_ = s.Close()
			})
		}
		got := map[*mailbox.Peer]uint64{}
		ms := make([]message, max(batch, 1))
		for down := 0; down < senders+1; {
			n, err := 1, error(nil)
			if batch > 0 {
				n, err = b.ReceiveBatch(t.Context(), ms, 1)
			} else {
				ms[0], err = b.Receive(t.Context())
			}
			must(t, err)
			for _, m := range ms[:n] {
				switch {
				case m.Down() != nil:
					down++
				case m.Value.ID != got[m.From()]:
					t.Fatalf("value %d, not %d", m.Value.ID, got[m.From()])
				default:
					got[m.From()]++
				}
			}
		}
		work.Wait()
		for _, n := range got {
			if n != values {
				t.Errorf("%d values", n)
			}
		}
		if len(got) != senders {
			t.Errorf("%d senders", len(got))
		}
	})
}

// TestManyCalls: several goroutines receive, some of them slow, and every ask is answered.
func TestManyCalls(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b, _ := led(t, a, config{Depth: 4})
		ctx, cancel := context.WithCancel(t.Context())
		var receivers, senders sync.WaitGroup
		for i := range 4 {
			receivers.Go(func() {
				ms := make([]message, 2)
				for n := 0; ; n++ {
					k, err := b.ReceiveBatch(ctx, ms[:1+i%2], 1)
					for _, m := range ms[:k] {
						if i == 3 && n%16 == 0 {
							for range 2000 {
								mailbox.Yield()
							}
						}
						_ = m.Reply(receipt{ID: m.Value.ID})
					}
					if err != nil {
						return
					}
				}
			})
		}
		for range 6 {
			s := dial(t, a, b, dialConfig{})
			senders.Go(func() {
				for n := range uint64(200) {
					if answer, err := s.Ask(t.Context(), order{ID: n}); err != nil || answer.ID != n {
						t.Error(answer, err)
						return
					}
				}
			})
		}
		senders.Wait()
		cancel()
		receivers.Wait()
	})
}

// TestALeaverIsTold when the goroutine takes over from a call that had no room to tell.
func TestALeaverIsTold(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b, s := led(t, a, config{Depth: 1, Down: true})
		other := dial(t, a, b, dialConfig{Async: true})
		done, first := receives(t, t.Context(), b)
		release := b.Halt()
		must(t, other.Send(t.Context(), order{ID: 9})) // fills the mailbox
		closed := make(chan error)
		go func() { closed <- s.Close() }()
		<-b.FirstPeerEnded()
		release()
		must(t, <-done)
		for !b.IntakeLeads() {
			mailbox.Yield()
		}
		second := <-b.C()
		if first.Value.ID+second.Value.ID != 9 || first.Down() == nil && second.Down() == nil {
			t.Error(first, second)
		}
		must(t, <-closed)
	})
}

// TestAnswersDoNotWaitForACall when the goroutine leads.
func TestAnswersDoNotWaitForACall(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		for range 5 {
			b, _ := led(t, a, config{})
			b.Resume()
			for !b.IntakeLeads() {
				mailbox.Yield()
			}
			if b.Soon() {
				t.Fatal("answers wait for a call")
			}
		}
	})
}
