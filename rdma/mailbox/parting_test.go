package mailbox_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
	"github.com/godapl/godapl/rdma/mem"
)

// patiently is onEveryPath for tests in which a peer does not receive for a while.
func patiently(t *testing.T, f func(t *testing.T, a *rdma.Adapter)) {
	for _, name := range []string{"soft-loop", "soft-shm", "soft-tcp"} {
		t.Run(name, func(t *testing.T) {
			a, err := rdma.Open(t.Context(), name, rdma.OpenConfig{ReceiveWait: time.Hour})
			if err != nil {
				t.Skip(err)
			}
			t.Cleanup(func() { _ = a.Close() })
			f(t, a)
		})
	}
}

// TestSendWhileTheSenderParts: Close has begun, and waits for the mailbox. A call meanwhile is refused, and
// costs none of the values that have left.
func TestSendWhileTheSenderParts(t *testing.T) {
	patiently(t, func(t *testing.T, a *rdma.Adapter) {
		c, s := rawMailbox(t, a, 256, 4, dialConfig{Window: 256, Async: true}) // its receives are fewer than the values
		s.EndWait(time.Hour)
		for n := range uint64(16) {
			must(t, s.Send(t.Context(), order{ID: n}))
		}
		closed := make(chan error)
		go func() { closed <- s.Close() }()
		for !s.Parting() {
			mailbox.Yield()
		}
		if err := s.TrySend(order{}); !errors.Is(err, mailbox.ErrNotDelivered) {
			t.Errorf("a value behind Close: %v", err)
		}
		got := uint64(0)
		for one := [1]rdma.Message{}; got < 16; {
			if _, err := c.inbox.Messages().WaitBatch(t.Context(), one[:]); err != nil {
				t.Fatalf("value %d: %v", got, err)
			}
			if err := one[0].Err(); err != nil {
				t.Fatalf("value %d: %v", got, err)
			}
			got += uint64(len(mailbox.Records(t, one[0].Bytes())))
			one[0].Release()
		}
		must(t, <-closed)
		if lost := new(mailbox.Lost); !errors.As(context.Cause(s.Context()), &lost) || !errors.Is(lost, rdma.ErrClosed) {
			t.Error(context.Cause(s.Context()))
		}
	})
}

// TestReplyWhileTheMailboxParts: Close has begun, and waits for the sender. An answer meanwhile is refused,
// and the sender gets to know which values were taken.
func TestReplyWhileTheMailboxParts(t *testing.T) {
	const refused, shut = 6, 7 // kinds
	patiently(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Window: 128})
		b.EndWait(time.Hour)
		s := rawSender(t, a, b, mailbox.Hello[order, receipt](128, 4))
		region, err := s.Zone().Alloc(16<<10, mem.LocalRead)
		must(t, err)
		must(t, s.Send(t.Context(), region.Slice(0, mailbox.RawAsk(region.Bytes(), order{}, 1<<16))))
		m := <-b.C()
		bad := order{}
		mailbox.Spoil(&bad, 8, 2)
		var list [64]rdma.Message
		for n := range list { // all receives of the sender are in use
			must(t, s.Send(t.Context(), region.Slice(0, mailbox.RawValue(region.Bytes(), bad))))
			if _, err := s.inbox.Messages().WaitBatch(t.Context(), list[n:n+1]); err != nil {
				t.Fatal(err)
			}
			if k := list[n].Bytes()[0]; k != refused {
				t.Fatalf("kind %d", k)
			}
		}
		closed := make(chan error)
		go func() { closed <- b.Close() }()
		for !m.Parting() {
			mailbox.Yield()
		}
		if m.Reply(receipt{}) == nil {
			t.Error("an answer behind Close")
		}
		for n := range list {
			list[n].Release()
		}
		var one [1]rdma.Message
		if _, err := s.inbox.Messages().WaitBatch(t.Context(), one[:]); err != nil || one[0].Err() != nil {
			t.Fatal(err, one[0].Err())
		}
		if b := one[0].Bytes(); b[0] != shut || binary.BigEndian.Uint64(b[16:]) != 65 {
			t.Errorf("kind %d, %d placed", b[0], binary.BigEndian.Uint64(b[16:]))
		}
		one[0].Release()
		must(t, <-closed)
	})
}
