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

// FuzzMailboxMessages parses one message and takes a value from it, and checks that what is accepted
// is what another writer of the format would have written.
func FuzzMailboxMessages(f *testing.F) {
	b := make([]byte, 256)
	f.Add(b[:mailbox.RawValue(b, order{ID: 7, Urgent: true})])
	f.Add(b[:mailbox.RawAsk(b, order{ID: 7}, 1<<16)])
	f.Add(b[:mailbox.RawLarge(b, 1<<16, mem.Remote{Key: 1, Addr: 2, Length: 3})])
	f.Add(b[:several(b, 1, 2)])
	f.Add(mailbox.Hello[order, receipt](16, 16))
	f.Fuzz(func(t *testing.T, b []byte) {
		mailbox.CheckMessage[order](t, b)
		mailbox.CheckHello(t, b)
	})
}

// frames are the messages of an input: a byte says how, then a byte the length, then the bytes of a
// record. Its highest bit says that the next record belongs to the same message.
func frames(input []byte, where mem.Remote, post func(b []byte)) {
	var message []byte
	send := func(more bool, b []byte) {
		if message = append(message, b...); !more {
			post(message)
			message = nil
		}
	}
	defer func() { post(message) }()
	for n := 0; len(input) >= 2 && n < 40; n++ {
		how, length := input[0], int(input[1])
		input = input[2:]
		b := input[:min(length, len(input))]
		input = input[len(b):]
		switch how % 4 {
		case 0: // anything
			send(how >= 128, b)
			continue
		case 1: // a value or an answer of the right size
			b = append(b[:len(b):len(b)], make([]byte, 16+32)...)[:16+32]
		case 2: // memory
			b = append(b[:len(b):len(b)], make([]byte, 16+8)...)[:16+8]
			at := where
			at.Length = uint64(binary.BigEndian.Uint16(b[16:]))
			if b[18]&1 != 0 {
				at.Key++
			}
			body, err := at.AppendBinary(b[:16:16])
			if err != nil {
				continue
			}
			b = body
		}
		if len(b) < 16 {
			continue
		}
		record := binary.BigEndian.AppendUint32(nil, uint32(how%128/4%11)<<24)
		record = binary.BigEndian.AppendUint32(record, uint32(len(b)-16))
		for _, number := range [][]byte{b[:8], b[8:16]} { // id and placed: small numbers, as a rule
			n := binary.BigEndian.Uint64(number)
			if number[0] < 250 {
				n = n>>56%4<<16 | n&3
			}
			record = binary.BigEndian.AppendUint64(record, n)
		}
		send(how >= 128, append(record, b[16:]...))
	}
}

// FuzzMailbox is a peer of a mailbox, and of a sender, that keeps to nothing: neither panics, both are
// there for others, and their memory has its limits.
func FuzzMailbox(f *testing.F) {
	value := append([]byte{1 + 4*1, 0}, 1+4*2, 1, 1)
	large := append([]byte{2 + 4*8, 18}, make([]byte, 16)...)
	f.Add(append(append(value, large...), 16, 0))
	both := append([]byte{128 + 1 + 4*1, 0, 128 + 2 + 4*8, 18}, make([]byte, 18)...) // in one message, with a third
	f.Add(append(both, 1+4*2, 1, 1))
	f.Add([]byte{1 + 4*3, 20, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0})
	a, err := rdma.Open(context.Background(), "soft-loop", rdma.OpenConfig{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = a.Close() })
	f.Fuzz(func(t *testing.T, input []byte) {
		badSender(t, a, input)
		badMailbox(t, a, input)
	})
}

func badSender(t *testing.T, a *rdma.Adapter, input []byte) {
	const most = 10_000
	b := listen(t, a, config{Slot: 30, MaxLarge: most, MaxValue: most, AnswerMemory: most, Depth: 100})
	good := dial(t, a, b, dialConfig{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m := range b.C() {
			if m.Asked() && m.Reply(receipt{}) == nil && m.Reply(receipt{}) == nil {
				t.Error("two replies")
			}
			if large, answers := b.LargeUsed(), b.AnswersUsed(); large > most || answers > most+4096 {
				t.Errorf("%d and %d bytes", large, answers)
			}
		}
	}()
	bad := rawSender(t, a, b, mailbox.Hello[order, receipt](8, 8))
	zone := bad.inbox.Zone()
	lent, err := zone.Alloc(4096, mem.Local|mem.RemoteRead)
	must(t, err)
	region, err := zone.Alloc(4096, mem.Local)
	must(t, err)
	frames(input, lent.Remote(), func(m []byte) {
		_ = bad.Send(t.Context(), region.Slice(0, copy(region.Bytes(), m)))
	})
	if _, err := good.Ask(t.Context(), order{}); err != nil {
		t.Errorf("the other sender: %v", err)
	}
	must(t, good.Close())
	must(t, bad.Close())
	must(t, errors.Join(bad.inbox.Close(), lent.Free(), region.Free(), zone.Close())) // else a long run has no memory left
	must(t, b.Close())
	<-done
}

func badMailbox(t *testing.T, a *rdma.Adapter, input []byte) {
	ln, err := a.Listen(t.Context(), address(a), rdma.ListenConfig{})
	must(t, err)
	defer ln.Close()
	ended := make(chan error)
	go func() {
		zone, err := a.NewZone()
		must(t, err)
		region, err := zone.Alloc(4096, mem.Local)
		must(t, err)
		inbox, err := zone.NewInbox(rdma.InboxConfig{Receives: 64, Size: 256})
		must(t, err)
		c, err := (<-ln.Requests()).Accept(context.Background(), rdma.EndpointConfig{Zone: zone, Inbox: inbox, Private: mailbox.Welcome[order](4, 4)})
		must(t, err)
		frames(input, region.Remote(), func(m []byte) {
			_ = c.Send(context.Background(), region.Slice(0, copy(region.Bytes(), m)))
		})
		_ = c.Shutdown(context.Background())
		ended <- errors.Join(c.Close(), inbox.Close(), region.Free(), zone.Close())
	}()
	s, err := mailbox.Dial(t.Context(), a, ln.Addr().String(), dialConfig{})
	must(t, err)
	check := func(err error) {
		if n := classes(err); err != nil && n != 1 {
			t.Errorf("%d classes: %v", n, err)
		}
	}
	asked := make(chan error)
	go func() {
		_, err := s.Ask(context.Background(), order{})
		asked <- err
	}()
	check(s.Send(context.Background(), order{}))
	check(<-asked)
	must(t, <-ended)
	<-s.Context().Done()
	lost := new(mailbox.Lost)
	if !errors.As(context.Cause(s.Context()), &lost) || lost.Settled()+lost.Unknown > 2 {
		t.Errorf("of 2 values: %v", context.Cause(s.Context()))
	}
	must(t, s.Close())
}
