package peers_test

import (
	"context"
	"errors"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// Connections that are given up while they are made.

// A peer that has gone before its request is answered.
func TestPeerGoneBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for name, leave := range map[string]func(p *peer){"FIN": (*peer).fin, "close": func(p *peer) { p.conn.Close() }, "RST": (*peer).reset} {
		for _, r := range []role{responder1, responder} {
			t.Run(name+"/"+r.name, func(t *testing.T) {
				v := s.listen(t)
				p := dial(t, v.address())
				p.sendRequest(r.frame)
				req := v.request()
				leave(p)
				e := s.endpoint(t, depths{4, 4})
				e.recv(8)
				if err := e.outcome(e.accept(req, nil)); err == nil {
					// The answer was sent before this side noticed the end.
					e.event(hca.EventEstablished)
					if ev := e.anyEvent(); r.first != nil || ev.Kind == hca.EventEstablished || ev.Err == nil {
						t.Errorf("there was a connection without its first frame, which ended with %v", ev.Err)
					}
				}
				e.stock()
			})
		}
	}
	s.bystander(t)
}

// Rows 1 and 8, for the initiator: its program chooses how long it waits.
func TestNoReply(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	f := initiator.frame
	f.Private = make([]byte, 100)
	for name, data := range map[string][]byte{"no byte": nil, "half a header": replyBytes(t, f)[:10], "half of the private data": replyBytes(t, f)[:70]} {
		for cause, code := range map[error]hca.Code{context.Canceled: hca.Canceled, context.DeadlineExceeded: hca.Timeout} {
			t.Run(name+"/"+cause.Error(), func(t *testing.T) {
				h := listen(t)
				e := s.endpoint(t, depths{4, 4})
				e.recv(8)
				ctx, cancel := context.WithCancelCause(context.Background())
				defer cancel(nil)
				result := make(chan error, 1)
				go func() { result <- e.qp.Connect(ctx, h.address(), hca.ConnParams{}) }()
				p := h.accept()
				p.takeRequest()
				p.write(data)
				cancel(cause)
				if err := e.failed(result); !errors.Is(err, code) {
					t.Errorf("connecting failed with %v, want %v", err, code)
				}
				p.closed(t)
			})
		}
	}
	s.bystander(t)
}

// The same for an initiator's first frame, and for ends that the program requests.
func TestNoFirstFrame(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for name, end := range map[string]func(e *endpoint, cancel func()){
		"cancelled":  func(_ *endpoint, cancel func()) { cancel() },
		"disconnect": func(e *endpoint, _ func()) { _ = e.qp.Disconnect(false) },
		"close":      func(e *endpoint, _ func()) { _ = e.qp.Close() },
	} {
		for part, data := range map[string][]byte{"nothing": nil, "a part": write(1, 0, "")[:7]} {
			t.Run(name+"/"+part, func(t *testing.T) {
				v := s.listen(t)
				p := dial(t, v.address())
				p.sendRequest(responder.frame)
				e := s.endpoint(t, depths{4, 4})
				e.recv(8)
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				result := make(chan error, 1)
				req := v.request()
				go func() { result <- req.Accept(ctx, e.qp, hca.ConnParams{}) }()
				p.takeReply()
				p.write(data)
				end(e, cancel)
				if err := e.outcome(result); !errors.Is(err, hca.Canceled) && !errors.Is(err, hca.Closed) {
					t.Errorf("accepting failed with %v", err)
				}
				p.closed(t)
				e.drain()
				e.ledger.balance(t)
				e.mem.untouched(t, nil)
			})
		}
	}
	s.bystander(t)
}

// An adapter that closes ends connections that are being made.
func TestCloseAdapterWhileConnecting(t *testing.T) {
	t.Parallel()
	s := secondStation(t)
	h, v := listen(t), s.listen(t)
	a, b := s.endpoint(t, depths{4, 4}), s.endpoint(t, depths{4, 4})
	a.recv(8)
	b.recv(8)
	connecting := a.connect(h.address(), nil)
	host := h.accept()
	host.takeRequest()
	guest := dial(t, v.address())
	guest.sendRequest(responder.frame)
	accepting := b.accept(v.request(), nil)
	guest.takeReply()
	waiting := dial(t, v.address())
	waiting.sendRequest(responder.frame)
	v.request()
	if err := s.a.Close(); err != nil {
		t.Error(err)
	}
	for _, result := range []<-chan error{connecting, accepting} {
		if err := a.outcome(result); err == nil {
			t.Error("there is a connection")
		}
	}
	host.closed(t)
	guest.closed(t)
	if f := waiting.rejected(t); len(f.Private) == 0 {
		t.Errorf("the request that nobody has answered was answered with %+v", f)
	}
	for _, e := range []*endpoint{a, b} {
		e.drain()
		e.ledger.balance(t)
		e.closed = true
	}
}

// A request without CRC gets CRC all the same: the reply says so.
func TestCRCIsNotOptional(t *testing.T) {
	cases := []badCase{
		fixed(22, "no CRC", "2/0/0x02", iwarp.AppendUntagged(nil, iwarp.UntaggedHeader{Op: iwarp.OpSend, Last: true, MSN: 1}, []byte("hello"), false)),
		{row: 48, name: "CRC", want: "accept", data: func(*exchange) []byte { return write(0, 0, "") }},
	}
	var without []role
	for _, r := range roles {
		r.frame.CRC = false
		without = append(without, r)
	}
	for i := range cases {
		cases[i].roles = without
	}
	runCases(t, cases)
}
