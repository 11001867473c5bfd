package mailbox_test

import (
	"context"
	"errors"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// TestWokenBehindAFailedValue: a call waits for its turn behind one whose value cannot be encoded. It has
// its turn then, although nothing arrives.
func TestWokenBehindAFailedValue(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		codec := blobs(nil)
		codec.Append = func(b, v []byte) ([]byte, error) {
			if len(v) == 0 {
				return nil, errors.New("nothing")
			}
			return append(b, v...), nil
		}
		b := listen(t, a, blobConfig{Values: codec, Depth: 1, Window: 2})
		s := dial(t, a, b, blobDial{Values: codec, Window: 2, Async: true})
		for n := range uint64(3) { // one in the mailbox, and the window
			must(t, s.Send(t.Context(), blob(n, 8)))
		}
		// Flush takes what arrives. Otherwise the failed call would, and its place would be taken over.
		flushed := make(chan error, 1)
		go func() { flushed <- s.Flush(context.Background()) }()
		for s.Flushing() != 1 {
			mailbox.Yield()
		}
		send := func(v []byte, waiting int) chan error {
			done := make(chan error, 1)
			go func() { done <- s.Send(context.Background(), v) }()
			for s.Asking() != 3+waiting {
				mailbox.Yield()
			}
			return done
		}
		bad := send(nil, 1)
		good := send(blob(3, 8), 2)
		<-b.C() // room for one value
		if err := <-bad; !errors.Is(err, mailbox.ErrNotDelivered) {
			t.Error(err)
		}
		must(t, <-good)
		for n := range uint64(3) {
			if m := <-b.C(); m.Value[7] != byte(n+1) {
				t.Errorf("value %x, not %d", m.Value, n+1)
			}
		}
		must(t, <-flushed)
	})
}

// TestFlushIsUnknownAtTheEnd: some of the values before it may have left, although the latest has not.
func TestFlushIsUnknownAtTheEnd(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		_, s := rawMailbox(t, a, 16, 4, dialConfig{Async: true})
		for range 6 { // four messages leave
			must(t, s.Send(t.Context(), order{}))
		}
		done := make(chan error)
		go func() { done <- s.Flush(context.Background()) }()
		s.Abort()
		if err := <-done; !errors.Is(err, mailbox.ErrUnknown) || errors.Is(err, mailbox.ErrNotDelivered) {
			t.Error(err)
		}
		if n := s.Left(); n != 4 {
			t.Errorf("%d values have left", n)
		}
	})
}

// TestTheLeaderDoesNotWakeItself: a call that waits for its turn, and has found it by itself, counts as one
// that runs, so that its value leaves at once.
func TestTheLeaderDoesNotWakeItself(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		codec := blobs(nil)
		var s *mailbox.Sender[[]byte, uint64]
		codec.Append = func(b, v []byte) ([]byte, error) {
			if n := s.Awake(); n != 0 {
				t.Errorf("value %x: %d calls were woken", v, n)
			}
			return append(b, v...), nil
		}
		b := listen(t, a, blobConfig{Values: codec, Depth: 1, Window: 1})
		s = dial(t, a, b, blobDial{Values: codec, Window: 1, Async: true})
		for n := range uint64(2) { // one in the mailbox, and the window
			must(t, s.Send(t.Context(), blob(n, 8)))
		}
		done := make(chan error)
		go func() { done <- s.Send(context.Background(), blob(2, 8)) }()
		for !s.Leads() {
			mailbox.Yield()
		}
		<-b.C()
		must(t, <-done)
	})
}
