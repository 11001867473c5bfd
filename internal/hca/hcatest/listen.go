package hcatest

import (
	"strings"

	"github.com/godapl/godapl/internal/hca"
)

var listenCases = []Case{
	{"listener", "service 0 is a free one, each time another", listenAny},
	{"listener", "a service has one listener, and is free after Close", listenTwice},
	{"listener", "a listener without a callback is invalid", listenNoCallback},
	{"listener", "requests delivered before Close stay good", listenClosedAfter},
	{"listener", "closing it leaves its connections", listenClosedConnected},
	{"listener", "closing the adapter refuses requests that wait", listenAdapterClosed},
}

func listenAny(t *env) {
	s := t.side("listener", hca.Options{})
	seen := map[string]bool{}
	for range 8 {
		ln, _ := s.listen()
		if seen[ln.Addr()] {
			t.Errorf("%s is listened on twice", ln.Addr())
		}
		seen[ln.Addr()] = true
	}
}

func listenTwice(t *env) {
	f := t.fixture(hca.Options{})
	again := hca.ListenConfig{Address: f.ln.Addr(), OnRequest: func(r hca.ConnRequest) bool {
		f.reqs <- r
		return true
	}}
	_, err := f.b.ad.Listen(t.ctx(), again)
	t.code("Listen", err, hca.ServiceInUse)
	service := again.Address[strings.LastIndex(again.Address, ":")+1:]
	_, err = f.b.ad.Listen(t.ctx(), hca.ListenConfig{Address: ":" + service, OnRequest: again.OnRequest})
	t.code("Listen on every address", err, hca.ServiceInUse)
	f.pair().close() // the first listener still works
	t.must("Listener.Close", f.ln.Close())
	f.ln, err = f.b.ad.Listen(t.ctx(), again)
	t.must("Listen on a service that is free again", err)
	f.pair().expectAlive("on a service used before")
}

func listenNoCallback(t *env) {
	s := t.side("listener", hca.Options{})
	_, err := s.ad.Listen(t.ctx(), hca.ListenConfig{Address: s.h.listenAddress(s.ad)})
	t.code("Listen", err, hca.Invalid)
}

func listenClosedAfter(t *env) {
	f := t.fixture(hca.Options{})
	c := &conn{fixture: f, a: f.a.end(setup{}), b: f.b.end(setup{})}
	done, r := f.waiting(t.ctx(), c.a)
	rejected, r2 := f.waiting(t.ctx(), f.a.end(setup{}))
	t.must("Listener.Close", f.ln.Close())
	t.must("Accept", t.within("Accept", func() error { return r.Accept(t.ctx(), c.b.qp, hca.ConnParams{}) }))
	t.must("Connect", t.result("Connect", done))
	c.a.info, c.b.info = c.a.ev.info(), c.b.ev.info()
	c.expectAlive("accepted after Listener.Close")
	t.must("Reject", r2.Reject([]byte("no")))
	t.code("Connect", t.result("Connect", rejected), hca.Rejected)
}

func listenClosedConnected(t *env) {
	c := t.pair()
	t.must("Listener.Close", c.ln.Close())
	c.expectAlive("after Listener.Close")
}

func listenAdapterClosed(t *env) {
	f := t.fixture(hca.Options{})
	e, spare := f.a.end(setup{}), f.b.end(setup{})
	done, r := f.waiting(t.ctx(), e)
	f.b.close()
	t.code("Connect", t.result("Connect", done), hca.Refused, hca.Unreachable, hca.Disconnected, hca.Broken, hca.Rejected)
	t.code("Accept", t.within("Accept", func() error {
		return r.Accept(t.ctx(), spare.qp, hca.ConnParams{})
	}), hca.Closed, hca.State)
	t.code("Reject", r.Reject(nil), hca.Closed, hca.State)
	e.ev.none("refused")
}
