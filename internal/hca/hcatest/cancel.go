package hcatest

import (
	"context"
	"errors"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

var cancelCases = []Case{
	{"cancellation", "a cancelled context ends Connect", cancelConnect},
	{"cancellation", "a deadline ends Connect", deadlineConnect},
	{"cancellation", "a context that is over begins no Connect", cancelledBefore},
	{"cancellation", "a context that is over ends Accept, and the peer learns it", cancelAccept},
	{"cancellation", "an abrupt disconnect ends Connect", disconnectConnecting},
	{"cancellation", "Close ends Connect", closeConnecting},
	{"cancellation", "posting a send while connecting is a state error", postConnecting},
}

// waiting starts a Connect that is not answered, and returns its request.
func (f *fixture) waiting(ctx context.Context, e *end) (<-chan error, hca.ConnRequest) {
	f.Helper()
	done := f.dial(ctx, e, nil)
	return done, f.request()
}

// stale answers a request whose peer has given up: Accept fails, or makes a connection
// that ends at once. It must neither hang nor make a lasting connection.
func (f *fixture) stale(r hca.ConnRequest) {
	f.Helper()
	b := f.b.end(setup{})
	id := b.receive(b.mail.seg(0, 8))
	err := f.within("Accept", func() error { return r.Accept(f.ctx(), b.qp, hca.ConnParams{}) })
	if err != nil {
		f.code("Accept", err, hca.Disconnected, hca.Broken, hca.Refused, hca.Unreachable, hca.State, hca.Closed, hca.Canceled)
		b.ev.none("not accepted")
		if err := b.qp.Close(); err != nil {
			f.Errorf("QP.Close: %v", err)
		}
	} else {
		b.ev.end("Accept of a peer that is gone")
	}
	b.flushed(id)
}

func cancelConnect(t *env) {
	f := t.fixture(hca.Options{})
	e := f.a.end(setup{})
	id := e.receive(e.mail.seg(0, 8))
	ctx, cancel := context.WithCancel(t.ctx())
	defer cancel()
	done, r := f.waiting(ctx, e)
	cancel()
	err := t.result("Connect", done)
	t.code("Connect", err, hca.Canceled)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v is not context.Canceled", err)
	}
	e.flushed(id)
	e.idle("cancelled")
	f.stale(r)
	e.ev.none("cancelled")
	f.pair().expectAlive("after a cancelled one")
}

func deadlineConnect(t *env) {
	f := t.fixture(hca.Options{})
	e := f.a.end(setup{})
	id := e.receive(e.mail.seg(0, 8))
	ctx, cancel := context.WithTimeout(t.ctx(), 30*time.Millisecond)
	defer cancel()
	err := t.result("Connect", f.dial(ctx, e, nil))
	t.code("Connect", err, hca.Timeout)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v is not context.DeadlineExceeded", err)
	}
	e.flushed(id)
	e.ev.none("timed out")
}

func cancelledBefore(t *env) {
	f := t.fixture(hca.Options{})
	e := f.a.end(setup{})
	ctx, cancel := context.WithCancel(t.ctx())
	cancel()
	id := e.receive(e.mail.seg(0, 8))
	t.code("Connect", t.result("Connect", f.dial(ctx, e, nil)), hca.Canceled)
	e.flushed(id)
	e.ev.none("cancelled before")
	_, err := f.a.ad.Listen(ctx, hca.ListenConfig{
		Address:   f.h.listenAddress(f.a.ad),
		OnRequest: func(hca.ConnRequest) bool { return false },
	})
	t.code("Listen", err, hca.Canceled)
}

func cancelAccept(t *env) {
	f := t.fixture(hca.Options{})
	a, b := f.a.end(setup{}), f.b.end(setup{})
	id := b.receive(b.mail.seg(0, 8))
	done, r := f.waiting(t.ctx(), a)
	ctx, cancel := context.WithCancel(t.ctx())
	cancel()
	t.code("Accept", t.within("Accept", func() error { return r.Accept(ctx, b.qp, hca.ConnParams{}) }), hca.Canceled)
	b.flushed(id)
	b.ev.none("cancelled")
	if err := t.result("Connect", done); err == nil {
		a.ev.end("a connection that was not accepted")
	} else {
		t.code("Connect", err, hca.Refused, hca.Rejected, hca.Unreachable, hca.Disconnected, hca.Broken)
	}
	f.pair().expectAlive("after a cancelled one")
}

func disconnectConnecting(t *env) {
	f := t.fixture(hca.Options{})
	e := f.a.end(setup{})
	id := e.receive(e.mail.seg(0, 8))
	done, r := f.waiting(t.ctx(), e)
	t.must("Disconnect", e.qp.Disconnect(false))
	t.code("Connect", t.result("Connect", done), hca.Canceled, hca.Disconnected, hca.State, hca.Closed)
	e.flushed(id)
	f.stale(r)
	e.ev.none("ended while connecting")
}

func closeConnecting(t *env) {
	f := t.fixture(hca.Options{})
	e := f.a.end(setup{})
	id := e.receive(e.mail.seg(0, 8))
	done, r := f.waiting(t.ctx(), e)
	t.must("QP.Close", t.within("QP.Close", e.qp.Close))
	t.code("Connect", t.result("Connect", done), hca.Closed, hca.Canceled, hca.Disconnected)
	e.flushed(id)
	f.stale(r)
	e.ev.none("closed while connecting")
}

func postConnecting(t *env) {
	f := t.fixture(hca.Options{})
	a, b := f.a.end(setup{}), f.b.end(setup{})
	done, r := f.waiting(t.ctx(), a)
	t.code("PostSend of the dialer", a.qp.PostSend(send(a.mail.seg(0, 8))), hca.State)
	t.code("PostSend of the listener", b.qp.PostSend(send(b.mail.seg(0, 8))), hca.State)
	t.must("Accept", t.within("Accept", func() error { return r.Accept(t.ctx(), b.qp, hca.ConnParams{}) }))
	t.must("Connect", t.result("Connect", done))
	a.info, b.info = a.ev.info(), b.ev.info()
	(&conn{fixture: f, a: a, b: b}).expectAlive("connected")
}
