package wire_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// dial makes a sender of the page.
func dial(ctx context.Context, t *testing.T, a *rdma.Adapter, address string, q request) (*peer, reply, error) {
	t.Helper()
	p := newPeer(ctx, t, a, int(q.window)+int(q.asks)+1, int(q.longest))
	conn, err := p.end.Connect(ctx, address, rdma.ConnConfig{Private: q.bytes()})
	if err != nil {
		return p, reply{}, err
	}
	p.conn = conn
	r, err := parseReply(conn.PrivateData())
	check(t, err)
	return p, r, nil
}

// want takes the next record that tells more than placed, which must be this one.
func (p *peer) want(kind byte, id, placed uint64, body string) {
	p.t.Helper()
	for {
		r := p.next()
		if r.kind == kindPlaced && r.placed <= placed {
			continue
		}
		if r.kind != kind || r.id != id || r.placed != placed || string(r.body) != body {
			p.t.Fatalf("%v; want %v", r, record{kind, id, placed, []byte(body)})
		}
		return
	}
}

// wantPlaced waits until the mailbox is done with n values, of which nothing else is told.
func (p *peer) wantPlaced(n uint64) {
	p.t.Helper()
	for p.placed < n {
		if r := p.next(); r.kind != kindPlaced || r.placed > n {
			p.t.Fatalf("%v; want %d placed", r, n)
		}
	}
}

type order struct {
	ID    uint32
	Good  bool
	Sizes [2]struct {
		Kind  int8
		Count int
	}
}

type receipt struct{ Total float64 }

// bytesOf is an order in memory, with its padding.
func bytesOf(id uint32, good byte) []byte {
	b := binary.NativeEndian.AppendUint32(nil, id)
	b = append(b, good, 0, 0, 0)
	for i := range uint64(2) {
		b = append(b, byte(i), 0, 0, 0, 0, 0, 0, 0)
		b = binary.NativeEndian.AppendUint64(b, i+uint64(id))
	}
	return b
}

// plain is the request of a sender of orders.
func plain(window, asks uint16) request {
	return request{window: window, asks: asks, maxAnswer: 8, values: hash(text(order{})), answers: hash(text(receipt{})), longest: headerBytes + 100}
}

func receive[T, R any](ctx context.Context, t *testing.T, box *mailbox.Mailbox[T, R]) mailbox.Message[T, R] {
	t.Helper()
	m, err := box.Receive(ctx)
	check(t, err)
	return m
}

func TestSender(t *testing.T) {
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			ctx, a := open(t, path)
			box, err := mailbox.Listen(ctx, a, "127.0.0.1:0", mailbox.Config[order, receipt]{})
			check(t, err)
			defer box.Close()
			p, r, err := dial(ctx, t, a, box.Addr().String(), plain(16, 4))
			check(t, err)
			if r.window != 16 || r.asks != 4 || r.longest != 40 || r.slot != 40 || r.message < 2*64 || r.messages < 1 {
				t.Fatalf("%+v", r)
			}
			p.send(record{kindValue, 0, 0, bytesOf(1, 1)})
			var want order
			want.ID, want.Good, want.Sizes[0].Count, want.Sizes[1].Kind, want.Sizes[1].Count = 1, true, 1, 1, 2
			if m := receive(ctx, t, box); m.Value != want || m.Asked() {
				t.Fatal(m.Value)
			}
			p.wantPlaced(1)
			p.send(record{kindAsk, 1 << 16, 0, bytesOf(2, 1)}, record{kindAsk, 3, 0, bytesOf(3, 0)})
			first, second := receive(ctx, t, box), receive(ctx, t, box)
			check(t, second.Decline("no"))
			p.want(kindDecline, 3, 3, "no")
			check(t, first.Reply(receipt{math.Pi}))
			p.want(kindAnswer, 1<<16, 3, string(binary.NativeEndian.AppendUint64(nil, math.Float64bits(math.Pi))))
			p.send(record{kindValue, 0, 0, bytesOf(4, 2)}, record{kindAsk, 3, 0, bytesOf(5, 255)})
			p.want(kindRefused, 4, 4, "a bool is neither 0 nor 1")
			p.want(kindRefused, 5, 5, "a bool is neither 0 nor 1")
			p.send(record{kindAsk, 3, 0, bytesOf(6, 1)[:39]}, record{kindValue, 0, 0, bytesOf(7, 1)})
			p.want(kindRefused, 6, 6, "a value of 39 bytes, not 40")
			p.wantPlaced(7)
			check(t, box.Close())
			p.want(kindClosed, 0, 7, "")
			is(t, p.ended(), rdma.ErrDisconnected)
			if m := receive(ctx, t, box); m.Value.ID != 7 {
				t.Fatal(m.Value)
			}
		})
	}
}

// TestSenderIsRejected checks what a mailbox says to a sender that it does not take.
func TestSenderIsRejected(t *testing.T) {
	ctx, a := open(t, "soft-loop")
	box, err := mailbox.Listen(ctx, a, "127.0.0.1:0", mailbox.Config[order, receipt]{})
	check(t, err)
	defer box.Close()
	for _, c := range []struct {
		change func(*request)
		want   string
	}{
		{func(q *request) { q.values++ }, "values of " + text(order{}) + "; answers of " + text(receipt{})},
		{func(q *request) { q.answers++ }, "values of " + text(order{}) + "; answers of " + text(receipt{})},
		{func(q *request) { q.longest-- }, "the sender takes messages of 123 bytes at most, where answers and reasons have up to 124"},
		{func(q *request) { q.asks = 0 }, "a window of 16 values, 0 asks and 8 bytes are not possible"},
	} {
		q := plain(16, 4)
		c.change(&q)
		_, _, err := dial(ctx, t, a, box.Addr().String(), q)
		is(t, err, rdma.ErrRejected)
		if e := new(rdma.Error); !errors.As(err, &e) || string(e.Private) != c.want {
			t.Errorf("%q; want %q", e.Private, c.want)
		}
	}
	_, err = a.Dial(ctx, box.Addr().String(), rdma.EndpointConfig{Zone: newPeer(ctx, t, a, 1, 8).zone})
	if e := new(rdma.Error); !errors.As(err, &e) || string(e.Private) != "the private data is not that of the mailbox protocol" {
		t.Errorf("%q", e.Private)
	}
}
