package hcatest

import (
	"strings"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

var listenCases = []Case{
	{"listener", "service 0 is a free one, each time another", listenAny},
	{"listener", "a service has one listener, and is free after Close", listenTwice},
	{"listener", "a listener without a callback is invalid", listenNoCallback},
	{"listener", "requests delivered before Close stay good", listenClosedAfter},
	{"listener", "closing it leaves its connections", listenClosedConnected},
	{"listener", "a bound for the peer's silence changes nothing where a peer speaks or may be silent", listenSpeakAfter},
	{"listener", "what the program itself answers is not reported as refused", listenReports},
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

// listenSpeakAfter has the listener speak first, and a connection on which nobody speaks for long.
func listenSpeakAfter(t *env) {
	f := t.fixture(hca.Options{})
	ln, err := f.b.ad.Listen(t.ctx(), hca.ListenConfig{
		Address:    f.h.listenAddress(f.b.ad),
		SpeakAfter: time.Millisecond,
		OnRequest:  func(r hca.ConnRequest) bool { f.reqs <- r; return true },
	})
	t.must("Listen", err)
	f.ln = ln
	for range 5 {
		c := &conn{fixture: f, a: f.a.end(setup{}), b: f.b.end(setup{})}
		id := c.a.receive(c.a.mail.seg(8, 8))
		f.connect(c.a, c.b)
		fill(c.b.mail.b, 3)
		c.b.do(send(c.b.mail.seg(0, 8)))
		c.a.got(want{id: id, op: hca.OpRecv, len: 8})
		c.a.mail.holds("the listener's first message", 8, 8, 3)
		c.close()
	}
	c := f.pair()
	<-time.After(10 * time.Millisecond)
	for _, e := range c.ends() {
		e.sq.empty("nobody has spoken")
		e.rq.empty("nobody has spoken")
	}
	c.expectAlive("after a silence")
}

// listenReports: Options.Refused is for requests that OnRequest does not see.
func listenReports(t *env) {
	f := t.fixture(hca.Options{Refused: func(peer string, cause error) {
		t.Errorf("a request of %s is reported as refused: %v", peer, cause)
	}})
	dial := func(what string, code hca.Code, answer func()) {
		t.Helper()
		e := f.a.end(setup{})
		done := f.dial(t.ctx(), e, nil)
		answer()
		t.code(what, t.result("Connect", done), code)
	}
	f.pair().expectAlive("accepted")
	dial("rejected", hca.Rejected, func() { t.must("Reject", f.request().Reject(nil)) })
	first := f.ln
	ln, err := f.b.ad.Listen(t.ctx(), hca.ListenConfig{
		Address: f.h.listenAddress(f.b.ad), OnRequest: func(hca.ConnRequest) bool { return false },
	})
	t.must("Listen", err)
	f.ln = ln
	dial("a full backlog", hca.Refused, func() {})
	f.ln = first
	t.must("Listener.Close", first.Close())
	dial("nobody listens", hca.Refused, func() {})
	f.a.close()
	f.b.close()
}
