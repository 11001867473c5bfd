package mailbox_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
	"github.com/godapl/godapl/rdma/mem"
)

// TestCloseTellsWhatWasTaken: values behind the last one that a closed mailbox has taken are
// certainly not delivered, and those before it can be received.
func TestCloseTellsWhatWasTaken(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Depth: 10, Window: 4})
		s := dial(t, a, b, dialConfig{})
		delivered := make(chan int)
		go func() {
			n := 0
			for ; ; n++ {
				if err := s.Send(context.Background(), order{ID: uint64(n)}); err != nil {
					if !errors.Is(err, mailbox.ErrNotDelivered) {
						t.Error(err)
					}
					break
				}
			}
			delivered <- n
		}()
		for b.Len() < 10 {
			mailbox.Yield()
		}
		must(t, b.Close())
		n, received := <-delivered, 0
		for m, err := range b.All(t.Context()) {
			if err != nil {
				if !errors.Is(err, rdma.ErrClosed) {
					t.Error(err)
				}
				break
			}
			if m.Value.ID != uint64(received) {
				t.Errorf("value %d, not %d", m.Value.ID, received)
			}
			received++
		}
		<-s.Context().Done()
		var lost *mailbox.Lost
		if !errors.As(context.Cause(s.Context()), &lost) || lost.Delivered != uint64(received) || lost.Unknown != 0 || received != n {
			t.Errorf("%d received, %d sent, %v", received, n, context.Cause(s.Context()))
		}
	})
}

// TestDown: the end of a sender follows its last value.
func TestDown(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Down: true})
		s := dial(t, a, b, dialConfig{})
		for i := range uint64(3) {
			must(t, s.Send(t.Context(), order{ID: i}))
		}
		must(t, s.Close())
		for i := range uint64(3) {
			if m := <-b.C(); m.Down() != nil || m.Value.ID != i {
				t.Errorf("%+v, %v", m.Value, m.Down())
			}
		}
		m := <-b.C()
		if m.Down() == nil || m.From().Context().Err() == nil {
			t.Errorf("no end, but %+v", m.Value)
		}
		if err := s.Send(t.Context(), order{}); !errors.Is(err, mailbox.ErrNotDelivered) || !errors.Is(err, rdma.ErrClosed) {
			t.Error(err)
		}
		if lost := new(mailbox.Lost); !errors.As(context.Cause(s.Context()), &lost) || lost.Delivered != 3 || lost.Unknown != 0 {
			t.Error(context.Cause(s.Context()))
		}
	})
}

// TestAdapterClosedFirst: calls fail, and nothing panics.
func TestAdapterClosedFirst(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{})
		s := dial(t, a, b, dialConfig{})
		var work sync.WaitGroup
		work.Go(func() {
			_, err := s.Ask(context.Background(), order{})
			if err == nil {
				t.Error("answered")
			}
		})
		m := <-b.C()
		must(t, a.Close())
		work.Wait()
		if m.Reply(receipt{}) == nil {
			t.Error("replied")
		}
		if err := s.Send(t.Context(), order{}); !errors.Is(err, mailbox.ErrNotDelivered) {
			t.Error(err)
		}
		must(t, b.Close())
		_ = s.Close()
	})
}

// TestOtherTypes: both sides' types are in the error.
func TestOtherTypes(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{})
		_, err := mailbox.Dial(t.Context(), a, b.Addr().String(), mailbox.DialConfig[receipt, mailbox.None]{})
		if !errors.Is(err, mailbox.ErrTypes) {
			t.Error(err)
		}
		for _, part := range []string{"Total@8 uint64", "Urgent@8 bool"} {
			if a.Attributes().MaxPrivateData < 100 {
				part = part[:5] // the rejection has no room for more
			}
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%v: it lacks %q", err, part)
			}
		}
		if _, err := mailbox.Dial(t.Context(), a, b.Addr().String(), mailbox.DialConfig[string, receipt]{}); !errors.Is(err, rdma.ErrInvalid) {
			t.Error(err)
		}
	})
}

// TestOtherRejections: what is no difference of types is not told as one.
func TestOtherRejections(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		ln, err := a.Listen(t.Context(), address(a), rdma.ListenConfig{})
		must(t, err)
		defer ln.Close()
		for _, why := range []string{"", "no room"} {
			rejected := make(chan error)
			go func() { rejected <- (<-ln.Requests()).Reject([]byte(why)) }()
			_, err := mailbox.Dial(t.Context(), a, ln.Addr().String(), dialConfig{})
			if !errors.Is(err, rdma.ErrRejected) || errors.Is(err, mailbox.ErrTypes) || !strings.Contains(err.Error(), why) {
				t.Error(err)
			}
			must(t, <-rejected)
		}
	})
}

// TestSenderBeyondItsWindow: a sender that sends more than it may ends its own connection only.
func TestSenderBeyondItsWindow(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Depth: 4, Window: 2})
		s := dial(t, a, b, dialConfig{Async: true})
		bad := rawSender(t, a, b, mailbox.Hello[order, receipt](2, 2))
		region, err := bad.Zone().Alloc(4096, mem.LocalRead)
		must(t, err)
		value := mailbox.RawValue(region.Bytes(), order{ID: 1 << 60})
		const flood, good = 10_000, 100
		var work sync.WaitGroup
		work.Go(func() {
			for n := 0; n < flood; n++ {
				if err := bad.Send(context.Background(), region.Slice(0, value)); err != nil {
					break
				}
			}
			<-bad.Context().Done()
		})
		work.Go(func() {
			for n := range uint64(good) {
				if err := s.Send(context.Background(), order{ID: n}); err != nil {
					t.Error(err)
				}
			}
			if err := s.Flush(context.Background()); err != nil {
				t.Error(err)
			}
		})
		for next, strange := uint64(0), 0; next < good; {
			m, err := b.Receive(t.Context())
			must(t, err)
			switch {
			case m.Value.ID == next:
				next++
			case m.Value.ID != 1<<60:
				t.Fatalf("value %d, not %d", m.Value.ID, next)
			default:
				if strange++; strange > flood {
					t.Fatal("too many")
				}
			}
		}
		work.Wait()
		if bad.Context().Err() == nil {
			t.Error("the other sender is still there")
		}
	})
}

// TestBadMessages: each ends its connection, and the mailbox goes on.
func TestBadMessages(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{})
		for name, spoil := range map[string]func(b []byte) int{
			"kind 0":      func(b []byte) int { b[0] = 0; return len(b) },
			"kind 9":      func(b []byte) int { b[0] = 9; return len(b) },
			"an answer":   func(b []byte) int { b[0] = 3; return len(b) },
			"not zero":    func(b []byte) int { b[2] = 1; return len(b) },
			"its length":  func(b []byte) int { b[7]++; return len(b) },
			"half header": func(b []byte) int { return 10 },
			"ask 0":       func(b []byte) int { b[0] = 2; return len(b) },
			"ask beyond":  func(b []byte) int { b[0], b[14], b[15] = 2, 0xff, 0xff; return len(b) },
		} {
			bad := rawSender(t, a, b, mailbox.Hello[order, receipt](2, 2))
			region, err := bad.Zone().Alloc(4096, mem.LocalRead)
			must(t, err)
			n := spoil(region.Bytes()[:mailbox.RawValue(region.Bytes(), order{})])
			_ = bad.Send(t.Context(), region.Slice(0, n))
			<-bad.Context().Done()
			if b.Len() != 0 {
				t.Errorf("%s: the value is there", name)
			}
		}
		must(t, dial(t, a, b, dialConfig{}).Send(t.Context(), order{}))
	})
}

// TestRefusedValue: a bool that is neither 0 nor 1 harms its own value only.
func TestRefusedValue(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{})
		s := dial(t, a, b, dialConfig{})
		v := order{ID: 1}
		mailbox.Spoil(&v, 8, 2)
		err := s.Send(t.Context(), v)
		if !errors.Is(err, mailbox.ErrNotDelivered) || !strings.Contains(err.Error(), "bool") {
			t.Error(err)
		}
		if _, err = s.Ask(t.Context(), v); !errors.Is(err, mailbox.ErrNotDelivered) || !strings.Contains(err.Error(), "bool") {
			t.Error(err)
		}
		must(t, s.Send(t.Context(), order{ID: 2}))
		if m := <-b.C(); m.Value.ID != 2 {
			t.Errorf("%+v", m.Value)
		}
		must(t, s.Close())
		if lost := new(mailbox.Lost); !errors.As(context.Cause(s.Context()), &lost) || lost.Delivered != 1 {
			t.Error(context.Cause(s.Context()))
		}
	})
}

// TestPaddingIsZero: what lies between the fields does not leave the process.
func TestPaddingIsZero(t *testing.T) {
	v := order{ID: 1}
	mailbox.Spoil(&v, 9, 0xaa)
	b := make([]byte, 256)
	n := mailbox.RawValue(b, v)
	if b[n-32+9] != 0 || n != 24+32 {
		t.Errorf("% x", b[:n])
	}
}

// TestTheAdapterEndsTheMailbox: a program that receives learns that the adapter has been closed, behind what the
// mailbox holds.
func TestTheAdapterEndsTheMailbox(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Depth: 10})
		other, err := rdma.Open(t.Context(), a.Name(), rdma.OpenConfig{})
		must(t, err)
		t.Cleanup(func() { _ = other.Close() })
		s := dial(t, other, b, dialConfig{})
		must(t, s.Send(t.Context(), order{ID: 1}))
		must(t, a.Close())
		m, err := b.Receive(t.Context())
		if must(t, err); m.Value.ID != 1 {
			t.Errorf("the message is %v", m.Value)
		}
		if _, err := b.Receive(t.Context()); !errors.Is(err, rdma.ErrClosed) {
			t.Errorf("behind the end: %v", err)
		}
		if _, open := <-b.C(); open {
			t.Error("there is another message")
		}
		must(t, b.Close())
	})
}
