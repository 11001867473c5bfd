package wire_test

import (
	"context"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// A box is a mailbox of the page.
type box struct {
	ctx context.Context
	t   *testing.T
	a   *rdma.Adapter
	ln  *rdma.Listener
}

func listen(ctx context.Context, t *testing.T, a *rdma.Adapter) *box {
	t.Helper()
	ln, err := a.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	check(t, err)
	return &box{ctx: ctx, t: t, a: a, ln: ln}
}

// meet lets a sender of the package dial, and gives it to answer.
func meet[T, R any](b *box, cfg mailbox.DialConfig[T, R], answer func(*rdma.ConnRequest)) (*mailbox.Sender[T, R], error) {
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		select {
		case r := <-b.ln.Requests():
			answer(r)
		case <-b.ctx.Done():
		}
	}()
	s, err := mailbox.Dial(b.ctx, b.a, b.ln.Addr().String(), cfg)
	<-answered
	return s, err
}

// accept lets a sender of the package dial, and accepts it with the numbers of r, as far as it has no smaller ones.
func accept[T, R any](b *box, cfg mailbox.DialConfig[T, R], r reply) (*mailbox.Sender[T, R], *peer) {
	b.t.Helper()
	var p *peer
	s, err := meet(b, cfg, func(request *rdma.ConnRequest) {
		q, err := parseRequest(request.PrivateData())
		if err != nil {
			b.t.Error(err)
		}
		r.window, r.asks = min(r.window, q.window), min(r.asks, q.asks)
		r.messages = min(r.messages, r.window)
		p = newPeer(b.ctx, b.t, b.a, int(r.messages)+1, int(r.message))
		if p.conn, err = request.AcceptOn(b.ctx, p.end, rdma.ConnConfig{Private: r.bytes()}); err != nil {
			b.t.Error(err)
		}
	})
	check(b.t, err)
	b.t.Cleanup(func() { _ = s.Close() })
	return s, p
}

// ofOrders is what a mailbox of orders answers.
var ofOrders = reply{window: 4, asks: 2, longest: 40, slot: 40, message: 200, messages: 2}

// TestBox takes the values of a sender of the package.
func TestBox(t *testing.T) {
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			ctx, a := open(t, path)
			b := listen(ctx, t, a)
			s, p := accept(b, mailbox.DialConfig[order, receipt]{}, ofOrders)
			if q, _ := parseRequest(p.conn.PrivateData()); q.values != hash(text(order{})) || q.answers != hash(text(receipt{})) ||
				q.maxAnswer != 8 || q.longest < headerBytes+100 || q.texts != "values of "+text(order{})+"; answers of "+text(receipt{}) {
				t.Fatalf("%+v", q)
			}
			var one order
			one.ID, one.Good, one.Sizes[0].Count, one.Sizes[1].Kind, one.Sizes[1].Count = 1, true, 1, 1, 2
			sent, cause := make(chan error), error(nil)
			var answer receipt
			go func() { sent <- s.Send(ctx, one) }()
			if r := p.next(); r.kind != kindValue || r.id != 0 || string(r.body) != string(bytesOf(1, 1)) {
				t.Fatal(r)
			}
			p.send(record{kindPlaced, 0, 1, nil})
			check(t, <-sent)
			ask := func() record {
				go func() { answer, cause = s.Ask(ctx, one); sent <- cause }()
				r := p.next()
				if r.kind != kindAsk || r.id == 0 || r.id>>63 != 0 || r.id&0xffff >= 2 {
					t.Fatal(r)
				}
				return r
			}
			p.send(record{kindAnswer, ask().id, 2, []byte{7: 0}})
			if check(t, <-sent); answer.Total != 0 {
				t.Fatal(answer)
			}
			p.send(record{kindDecline, ask().id, 3, []byte("why")})
			is(t, <-sent, mailbox.ErrDeclined)
			ask()
			p.send(record{kindRefused, 4, 4, []byte("why")})
			is(t, <-sent, mailbox.ErrNotDelivered)
			p.send(record{kindAnswer, ask().id, 5, make([]byte, 9)})
			is(t, <-sent, mailbox.ErrBadAnswer)
			ask() // is placed, and not answered any more
			p.send(record{kindClosed, 0, 6, nil})
			check(t, p.conn.Shutdown(ctx))
			is(t, <-sent, mailbox.ErrUnknown)
			<-s.Context().Done()
			if lost, ok := context.Cause(s.Context()).(*mailbox.Lost); !ok || lost.Delivered != 5 || lost.Refused != 1 || lost.Unknown != 0 {
				t.Fatal(lost)
			}
		})
	}
}

// TestBoxRejects checks what a sender makes of a rejection.
func TestBoxRejects(t *testing.T) {
	ctx, a := open(t, "soft-loop")
	b := listen(ctx, t, a)
	for private, codes := range map[string][]error{
		"": {rdma.ErrRejected}, "busy": {rdma.ErrRejected},
		"values of " + text(int32(0)) + "; answers of codec words": {rdma.ErrRejected, mailbox.ErrTypes},
	} {
		_, err := meet(b, mailbox.DialConfig[order, receipt]{}, func(r *rdma.ConnRequest) { _ = r.Reject([]byte(private)) })
		is(t, err, codes...)
	}
}
