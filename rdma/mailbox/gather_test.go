package mailbox_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
	"github.com/godapl/godapl/rdma/mem"
)

// several makes one message of so many asks, with ids from first on.
func several(b []byte, first, asks uint64) int {
	n := 0
	for i := first; i < first+asks; i++ {
		n += mailbox.RawAsk(b[n:], order{ID: i}, (i+1)<<16|i)
	}
	return n
}

// TestSeveralValuesInOneMessage: they are placed in their order, and the answers find their asks. An
// answer that waits for others leaves although the program takes nothing more.
func TestSeveralValuesInOneMessage(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Window: 16, Asks: 16})
		s := rawSender(t, a, b, mailbox.Hello[order, receipt](16, 16))
		region, err := s.Zone().Alloc(4096, mem.LocalRead)
		must(t, err)
		must(t, s.Send(t.Context(), region.Slice(0, several(region.Bytes(), 0, 4))))
		answered := uint64(0)
		next := func() {
			t.Helper()
			var one [1]rdma.Message
			if _, err := s.inbox.Messages().WaitBatch(t.Context(), one[:]); err != nil {
				t.Fatal(err)
			}
			defer one[0].Release()
			for _, r := range mailbox.Records(t, one[0].Bytes()) {
				if r.Kind != 3 || r.ID != (answered+1)<<16|answered || r.Placed <= answered || r.Placed > 4 {
					t.Fatalf("%+v, behind %d answers", r, answered)
				}
				answered++
			}
		}
		for n := range uint64(4) {
			m := <-b.C()
			if m.Value.ID != n {
				t.Fatalf("value %d, not %d", m.Value.ID, n)
			}
			must(t, m.Reply(receipt{ID: n}))
			if n == 0 { // three are in the mailbox
				next()
			}
		}
		for answered < 4 {
			next()
		}
	})
}

// TestWindowOfSeveralMessages: the values of all messages count against the window. One too many ends
// the connection, and no other.
func TestWindowOfSeveralMessages(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		if messages, records := mailbox.Gathering[order](5); messages != 3 || records != 2 {
			t.Fatalf("%d messages of %d", messages, records)
		}
		b := listen(t, a, config{Window: 5, Asks: 5})
		good := dial(t, a, b, dialConfig{})
		s := rawSender(t, a, b, mailbox.Hello[order, receipt](5, 5))
		region, err := s.Zone().Alloc(4096, mem.LocalRead)
		must(t, err)
		for first := range uint64(2) { // told with the answers, of which there are none
			must(t, s.Send(t.Context(), region.Slice(0, several(region.Bytes(), 2*first, 2))))
			for n := range uint64(2) {
				if m := <-b.C(); m.Value.ID != 2*first+n {
					t.Fatal(m.Value.ID)
				}
			}
		}
		_ = s.Send(t.Context(), region.Slice(0, several(region.Bytes(), 4, 2)))
		<-s.Context().Done()
		must(t, good.Send(t.Context(), order{ID: 100}))
		if m := <-b.C(); m.Value.ID != 100 {
			t.Errorf("value %d", m.Value.ID)
		}
	})
}

// rawMailbox accepts one sender of orders, tells nothing by itself, and returns its connection.
func rawMailbox[R any](t *testing.T, a *rdma.Adapter, window, asks int, cfg mailbox.DialConfig[order, R]) (*raw, *mailbox.Sender[order, R]) {
	t.Helper()
	ln, err := a.Listen(t.Context(), address(a), rdma.ListenConfig{})
	must(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	accepted := make(chan *raw)
	go func() {
		defer close(accepted)
		zone, err := a.NewZone()
		if err != nil {
			return
		}
		inbox, err := zone.NewInbox(rdma.InboxConfig{Receives: 64, Size: 1024})
		if err != nil {
			return
		}
		c, err := (<-ln.Requests()).Accept(context.Background(), rdma.EndpointConfig{Zone: zone, Inbox: inbox, Private: mailbox.Welcome[order](window, asks)})
		if err == nil {
			accepted <- &raw{c, inbox}
		}
	}()
	s, err := mailbox.Dial(t.Context(), a, ln.Addr().String(), cfg)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	r := <-accepted
	if r == nil {
		t.Fatal("not accepted")
	}
	t.Cleanup(func() { _ = r.Close() })
	return r, s
}

// TestValuesGatherWithoutCredit: values that may not leave yet go into one message, which leaves when the
// mailbox has told, although no call waits. At the end they count as not delivered.
func TestValuesGatherWithoutCredit(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		r, s := rawMailbox(t, a, 16, 4, dialConfig{Async: true})
		for n := range uint64(16) {
			must(t, s.Send(t.Context(), order{ID: n})) // each has a place
		}
		if err := s.TrySend(order{}); !errors.Is(err, mailbox.ErrFull) {
			t.Errorf("beyond the window: %v", err)
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
		for range 4 {
			next(1)
		}
		region, err := r.Zone().Alloc(4096, mem.LocalRead)
		must(t, err)
		must(t, r.Send(t.Context(), region.Slice(0, mailbox.RawPlaced(region.Bytes(), 2))))
		next(4)
		next(4)
		done := make(chan error)
		go func() {
			_, err := s.Ask(context.Background(), order{})
			done <- err
		}()
		for s.Posted() != 17 {
			mailbox.Yield()
		}
		s.Abort()
		if err := <-done; !errors.Is(err, mailbox.ErrNotDelivered) || errors.Is(err, mailbox.ErrUnknown) {
			t.Errorf("an ask that has not left: %v", err)
		}
		<-s.Context().Done()
		if lost := new(mailbox.Lost); !errors.As(context.Cause(s.Context()), &lost) || lost.Delivered != 2 || lost.Unknown != 10 {
			t.Error(context.Cause(s.Context()))
		}
	})
}

// TestNothingIsToldBeforeItHasLeft: a mailbox that tells or answers a value which waits for its message
// ends its connection.
func TestNothingIsToldBeforeItHasLeft(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		for name, message := range map[string]func(b []byte) int{
			"placed":   func(b []byte) int { return mailbox.RawPlaced(b, 5) },
			"declined": func(b []byte) int { return mailbox.RawDecline(b, 1<<16|7) },
		} {
			r, s := rawMailbox(t, a, 16, 8, dialConfig{Async: true})
			for range 4 { // messages
				must(t, s.Send(t.Context(), order{}))
			}
			done := make(chan error)
			go func() {
				_, err := s.Ask(context.Background(), order{})
				done <- err
			}()
			for s.Posted() != 5 {
				mailbox.Yield()
			}
			region, err := r.Zone().Alloc(4096, mem.LocalRead)
			must(t, err)
			must(t, r.Send(t.Context(), region.Slice(0, message(region.Bytes()))))
			if err := <-done; !errors.Is(err, mailbox.ErrProtocol) || !errors.Is(err, mailbox.ErrNotDelivered) || errors.Is(err, mailbox.ErrDeclined) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// TestGatheringHasRoom: all messages together have room for the window, and no more memory than for a
// message per value and some.
func TestGatheringHasRoom(t *testing.T) {
	for _, record := range []int{44, 88, 1048, 5000, 1 << 20} {
		for window := 1; window <= 1<<15; window += 1 + window/5 {
			messages, records := mailbox.GatheringOf(window, record)
			if messages < 1 || messages > window || records < 1 || messages*records < window ||
				records > 1 && records*record > 16<<10 || (messages+1)*records > window+2*records {
				t.Errorf("window %d, %d bytes: %d messages of %d", window, record, messages, records)
			}
		}
	}
}

// TestTwoRecordsAreParsed: the records of a message follow each other without a gap.
func TestTwoRecordsAreParsed(t *testing.T) {
	b := make([]byte, 512)
	n := several(b, 0, 2)
	rs := mailbox.Records(t, b[:n])
	if len(rs) != 2 || rs[0].ID != 1<<16 || rs[1].ID != 2<<16|1 || binary.BigEndian.Uint32(b[4:]) != uint32(n/2-24) {
		t.Errorf("%+v", rs)
	}
}
