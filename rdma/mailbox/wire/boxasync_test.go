package wire_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
	"github.com/godapl/godapl/rdma/mem"
)

// TestBoxOfAsync counts the values of a sender that does not wait, and refuses two.
func TestBoxOfAsync(t *testing.T) {
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			ctx, a := open(t, path)
			b := listen(ctx, t, a)
			s, p := accept(b, mailbox.DialConfig[order, receipt]{Async: true}, ofOrders)
			const count = 50
			sent := make(chan error)
			go func() {
				for id := range uint32(count) {
					if err := s.Send(ctx, order{ID: id}); err != nil {
						sent <- err
						return
					}
				}
				sent <- s.Flush(ctx)
			}()
			for id := range uint64(count) {
				if r := p.next(); r.kind != kindValue || string(r.body[:4]) != string(bytesOf(uint32(id), 0)[:4]) {
					t.Fatal(r)
				}
				if id == 20 || id == 30 {
					p.send(record{kindRefused, id + 1, id + 1, []byte("why")})
				} else if len(p.records) == 0 {
					p.send(record{kindPlaced, 0, id + 1, nil})
				}
			}
			if r := new(mailbox.Refused); !errors.As(<-sent, &r) || r.Count != 2 || r.First != 21 {
				t.Fatal(r)
			}
			check(t, s.Send(ctx, order{ID: 50})) // it has left when Close returns
			check(t, s.Close())
			if r := p.next(); r.kind != kindValue {
				t.Fatal(r)
			}
			is(t, p.ended(), rdma.ErrDisconnected)
		})
	}
}

// TestBoxReads takes large values, one read at a time.
func TestBoxReads(t *testing.T) {
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			ctx, a := open(t, path)
			b := listen(ctx, t, a)
			s, p := accept(b, mailbox.DialConfig[string, string]{Values: words(), Answers: words(), Async: true},
				reply{window: 4, asks: 2, longest: 1 << 20, slot: 1, message: headerBytes + mem.RemoteSize, messages: 4})
			long := strings.Repeat("0123456789", 5e4)
			into, placed := p.alloc(1<<20), uint64(0)
			for range 3 {
				check(t, s.Send(ctx, long))
				check(t, s.Send(ctx, "x"))
				r := p.next()
				var from mem.Remote
				if check(t, from.UnmarshalBinary(r.body)); r.kind != kindLargeValue || from.Length != uint64(len(long)) {
					t.Fatal(r)
				}
				n, err := p.conn.Read(ctx, into.All(), from)
				if check(t, err); string(into.Bytes()[:n]) != long {
					t.Fatal(n)
				}
				if r := p.next(); r.kind != kindValue || string(r.body) != "x" {
					t.Fatal(r)
				}
				placed += 2
				p.send(record{kindPlaced, 0, placed, nil})
			}
			check(t, s.Flush(ctx))
			is(t, s.Send(ctx, strings.Repeat("a", 1<<20+1)), mailbox.ErrNotDelivered, rdma.ErrLength)
		})
	}
}

// TestBoxCloses takes two values of four.
func TestBoxCloses(t *testing.T) {
	ctx, a := open(t, "soft-tcp")
	b := listen(ctx, t, a)
	s, p := accept(b, mailbox.DialConfig[order, receipt]{}, ofOrders)
	var asks [2]mailbox.Pending[order, receipt]
	for i := range asks {
		var err error
		asks[i], err = s.Go(ctx, order{})
		check(t, err)
	}
	sent := make(chan error)
	go func() { sent <- s.Send(ctx, order{}) }()
	for range 3 {
		p.next()
	}
	p.send(record{kindClosed, 0, 1, nil})
	is(t, <-sent, mailbox.ErrNotDelivered)
	_, err := asks[1].Wait(ctx)
	is(t, err, mailbox.ErrNotDelivered)
	is(t, s.Send(ctx, order{}), mailbox.ErrNotDelivered)
	check(t, p.conn.Shutdown(ctx))
	_, err = asks[0].Wait(ctx)
	is(t, err, mailbox.ErrUnknown)
}
