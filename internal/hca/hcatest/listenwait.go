package hcatest

import (
	"context"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

var listenWaitCases = []Case{
	{"listener to come", "a connect waits for it", listenerComes},
	{"listener to come", "the wait ends at its limit, and with its context", listenerStaysAway},
}

// deserted is a fixture in which nobody listens any more at the address; nil if the
// adapter does not wait for a listener by itself.
func (t *env) deserted(wait time.Duration) (f *fixture, addr string) {
	t.Helper()
	if t.h.NoListenWait {
		t.Logf("not checked: the connection manager decides")
		return nil, ""
	}
	f = t.fixture(hca.Options{ListenWait: wait})
	addr = f.ln.Addr()
	t.must("Listener.Close", f.ln.Close())
	return f, addr
}

func listenerComes(t *env) {
	f, addr := t.deserted(t.h.patience())
	if f == nil {
		return
	}
	for range 3 {
		c := &conn{fixture: f, a: f.a.end(setup{}), b: f.b.end(setup{})}
		done := f.dial(t.ctx(), c.a, nil)
		select {
		case err := <-done:
			t.Fatalf("Connect did not wait for a listener: %v", err)
		case <-time.After(20 * time.Millisecond): // it has mostly found nobody by then
		}
		ln, err := f.b.ad.Listen(t.ctx(), hca.ListenConfig{Address: addr, OnRequest: func(r hca.ConnRequest) bool {
			f.reqs <- r
			return true
		}})
		t.must("Listen", err)
		r := f.request()
		t.must("Accept", t.within("Accept", func() error { return r.Accept(t.ctx(), c.b.qp, hca.ConnParams{}) }))
		t.must("Connect", t.result("Connect", done))
		c.a.info, c.b.info = c.a.ev.info(), c.b.ev.info()
		c.expectAlive("after a wait for the listener")
		c.close()
		t.must("Listener.Close", ln.Close())
	}
}

func listenerStaysAway(t *env) {
	f, _ := t.deserted(5 * time.Millisecond)
	if f == nil {
		return
	}
	e := f.a.end(setup{})
	t.code("Connect at the limit", t.result("Connect", f.dial(t.ctx(), e, nil)), hca.Refused)
	e.ev.none("nobody came")

	f, _ = t.deserted(time.Hour)
	for _, end := range []struct {
		code hca.Code
		ctx  func() (context.Context, context.CancelFunc)
	}{
		{hca.Timeout, func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), 10*time.Millisecond)
		}},
		{hca.Canceled, func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(10*time.Millisecond, cancel)
			return ctx, cancel
		}},
	} {
		ctx, cancel := end.ctx()
		e := f.a.end(setup{})
		id := e.receive(e.mail.seg(0, 8))
		t.code("Connect with a context that ends", t.result("Connect", f.dial(ctx, e, nil)), end.code)
		cancel()
		e.flushed(id)
		e.ev.none("nobody came")
	}
}
