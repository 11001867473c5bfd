package wire_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// TestHostileBox answers an ask with what no mailbox may send. The ask is the third value of its sender; the first was
// refused and the second placed.
func TestHostileBox(t *testing.T) {
	ask := func(id uint64) record { return record{kindAnswer, id, 3, make([]byte, 8)} }
	for name, lie := range map[string]func(id uint64) []byte{
		"an ask that was not made":      func(id uint64) []byte { return message(ask(id + 1<<16)) },
		"a place that is too high":      func(id uint64) []byte { return message(ask(id | 0xffff)) },
		"a second answer":               func(id uint64) []byte { return message(ask(id), ask(id)) },
		"an answer behind a refusal":    func(id uint64) []byte { return message(record{kindRefused, 3, 3, nil}, ask(id)) },
		"a refusal behind the answer":   func(id uint64) []byte { return message(ask(id), record{kindRefused, 3, 3, nil}) },
		"an answer that does not count": func(id uint64) []byte { return message(record{kindAnswer, id, 2, make([]byte, 8)}) },
		"a decline that does not count": func(id uint64) []byte { return message(record{kindDecline, id, 2, nil}) },
		"more placed than sent":         func(uint64) []byte { return message(record{kindPlaced, 0, 4, nil}) },
		"less placed than before":       func(uint64) []byte { return message(record{kindPlaced, 0, 1, nil}) },
		"refused twice":                 func(uint64) []byte { return message(record{kindRefused, 1, 2, nil}) },
		"refused, but placed before":    func(uint64) []byte { return message(record{kindRefused, 2, 2, nil}) },
		"refused, and not counted":      func(uint64) []byte { return message(record{kindRefused, 3, 2, nil}) },
		"placed behind closed":          func(uint64) []byte { return message(record{kindClosed, 0, 2, nil}, record{kindPlaced, 0, 3, nil}) },
		"an answer behind closed":       func(id uint64) []byte { return message(record{kindClosed, 0, 2, nil}, ask(id)) },
		"a value":                       func(uint64) []byte { return message(record{kindValue, 0, 2, make([]byte, 40)}) },
		"kind 0":                        func(uint64) []byte { return message(record{0, 0, 2, nil}) },
		"kind 10":                       func(uint64) []byte { return message(record{10, 0, 2, nil}) },
		"no record":                     func(uint64) []byte { return nil },
		"half a header":                 func(uint64) []byte { return message(record{kindPlaced, 0, 2, nil})[:12] },
		"more bytes than there are":     func(id uint64) []byte { return message(ask(id))[:31] },
		"bytes behind the last record":  func(id uint64) []byte { return append(message(record{kindPlaced, 0, 2, nil}), 0) },
		"a length of 4 GiB": func(uint64) []byte {
			return bytes.Replace(message(record{kindPlaced, 0, 2, nil}), []byte{0, 0, 0, 0}, []byte{0, 255, 255, 255}, 1)
		},
		"something behind the kind byte": func(uint64) []byte { return append([]byte{kindPlaced, 0, 0, 1}, make([]byte, 20)...) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, a := open(t, "soft-loop")
			b := listen(ctx, t, a)
			s, p := accept(b, mailbox.DialConfig[order, receipt]{}, ofOrders)
			sent := make(chan error)
			for range 2 {
				go func() { sent <- s.Send(ctx, order{}) }()
			}
			p.next()
			p.next()
			p.send(record{kindRefused, 1, 1, []byte("why")}, record{kindPlaced, 0, 2, nil})
			if err, other := <-sent, <-sent; errors.Is(err, mailbox.ErrNotDelivered) == errors.Is(other, mailbox.ErrNotDelivered) {
				t.Fatal(err, other)
			}
			go func() { _, err := s.Ask(ctx, order{}); sent <- err }()
			p.sendBytes(lie(p.next().id))
			asked := <-sent // it may have had its answer, or be told that the mailbox is closed
			is(t, p.ended(), rdma.ErrDisconnected)
			<-s.Context().Done()
			var lost *mailbox.Lost
			if !errors.As(context.Cause(s.Context()), &lost) || !errors.Is(lost, mailbox.ErrProtocol) {
				t.Fatal(context.Cause(s.Context()))
			}
			if got := lost.Delivered + lost.Refused + lost.Unknown; got > 3 || lost.Delivered+lost.Refused < 2 ||
				(asked == nil || errors.Is(asked, mailbox.ErrDeclined)) && lost.Delivered != 2 ||
				errors.Is(asked, mailbox.ErrNotDelivered) && lost.Delivered+lost.Unknown != 1 {
				t.Errorf("%v, where the ask has had %v", lost, asked)
			}
			check(t, s.Close())
		})
	}
}

// TestHostileAnswer accepts senders with numbers that none can be content with.
func TestHostileAnswer(t *testing.T) {
	ctx, a := open(t, "soft-loop")
	b := listen(ctx, t, a)
	for name, lie := range map[string]func(*reply){
		"no window":               func(r *reply) { r.window = 0 },
		"a larger window":         func(r *reply) { r.window = 17 },
		"no asks":                 func(r *reply) { r.asks = 0 },
		"more asks":               func(r *reply) { r.asks = 17 },
		"another size":            func(r *reply) { r.longest = 39 },
		"a value without a slot":  func(r *reply) { r.slot = 41 },
		"a slot beyond a message": func(r *reply) { r.message = headerBytes + 39 },
		"no messages":             func(r *reply) { r.messages = 0 },
		"more messages":           func(r *reply) { r.messages = 5 },
	} {
		r := ofOrders
		lie(&r)
		p := newPeer(ctx, t, a, 1, 1000)
		_, err := meet(b, mailbox.DialConfig[order, receipt]{}, func(q *rdma.ConnRequest) {
			p.conn, _ = q.AcceptOn(ctx, p.end, rdma.ConnConfig{Private: r.bytes()})
		})
		if !errors.Is(err, mailbox.ErrProtocol) || strings.Contains(err.Error(), "nil") {
			t.Errorf("%s: %v", name, err)
		}
		if p.conn != nil { // otherwise the sender was faster
			p.ended()
		}
	}
}
