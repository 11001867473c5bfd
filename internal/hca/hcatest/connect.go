package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var connectCases = []Case{
	{"connect", "a second connect of a queue pair is a state error", connectTwice},
	{"connect", "of two connects at once on a queue pair one is made", connectRace},
	{"connect", "accept needs a fresh queue pair and keeps the request", acceptBusy},
	{"connect", "a request is answered once", answerTwice},
	{"connect", "a request names both addresses", requestAddresses},
	{"connect", "both sides may dial each other at the same time", dialEachOther},
	{"connect", "disconnecting what is not connected is a state error", disconnectFresh},
}

func connectTwice(t *env) {
	c := t.pair()
	t.code("Connect", c.result("Connect", c.dial(t.ctx(), c.a, nil)), hca.State)
	t.code("Connect of the accepted side", c.result("Connect", c.dial(t.ctx(), c.b, nil)), hca.State)
	c.expectAlive("after a refused Connect")
	t.must("Disconnect", c.a.qp.Disconnect(false))
	c.a.ev.end("Disconnect")
	t.code("Connect after the end", c.result("Connect", c.dial(t.ctx(), c.a, nil)), hca.State)
}

func connectRace(t *env) {
	f := t.fixture(hca.Options{})
	c := &conn{fixture: f, a: f.a.end(setup{}), b: f.b.end(setup{})}
	first, second := f.dial(t.ctx(), c.a, nil), f.dial(t.ctx(), c.a, nil)
	r := f.request()
	t.must("Accept", t.within("Accept", func() error { return r.Accept(t.ctx(), c.b.qp, hca.ConnParams{}) }))
	err1, err2 := f.result("Connect", first), f.result("Connect", second)
	if err1 != nil {
		err1, err2 = err2, err1
	}
	t.must("the better of two connects", err1)
	t.code("the other connect", err2, hca.State)
	c.a.info, c.b.info = c.a.ev.info(), c.b.ev.info()
	c.expectAlive("after two connects")
}

func acceptBusy(t *env) {
	c := t.pair()
	a2, b2 := c.fixture.a.end(setup{}), c.fixture.b.end(setup{})
	dialed := c.dial(t.ctx(), a2, nil)
	r := c.request()
	accept := func(qp hca.QP) error {
		return t.within("Accept", func() error { return r.Accept(t.ctx(), qp, hca.ConnParams{}) })
	}
	t.code("Accept with a connected queue pair", accept(c.b.qp), hca.State)
	t.code("Accept with no queue pair", accept(nil), hca.Invalid)
	t.must("Accept with a fresh one", accept(b2.qp))
	t.must("Connect", t.result("Connect", dialed))
	c.expectAlive("the first connection")
	c2 := &conn{fixture: c.fixture, a: a2, b: b2}
	a2.info, b2.info = a2.ev.info(), b2.ev.info()
	c2.expectAlive("the second connection")
}

func answerTwice(t *env) {
	f := t.fixture(hca.Options{})
	a, b, spare := f.a.end(setup{}), f.b.end(setup{}), f.b.end(setup{})
	dialed := f.dial(t.ctx(), a, nil)
	r := f.request()
	t.must("Accept", t.within("Accept", func() error { return r.Accept(t.ctx(), b.qp, hca.ConnParams{}) }))
	t.must("Connect", t.result("Connect", dialed))
	t.code("Reject after Accept", r.Reject(nil), hca.State, hca.Closed)
	t.code("Accept again", t.within("Accept", func() error {
		return r.Accept(t.ctx(), spare.qp, hca.ConnParams{})
	}), hca.State, hca.Closed)
	spare.ev.none("of the refused second Accept")

	a2 := f.a.end(setup{})
	dialed = f.dial(t.ctx(), a2, nil)
	r = f.request()
	t.must("Reject", r.Reject(nil))
	t.code("Connect", t.result("Connect", dialed), hca.Rejected)
	t.code("Reject again", r.Reject(nil), hca.State, hca.Closed)
	t.code("Accept after Reject", t.within("Accept", func() error {
		return r.Accept(t.ctx(), spare.qp, hca.ConnParams{})
	}), hca.State, hca.Closed)
}

func requestAddresses(t *env) {
	f := t.fixture(hca.Options{})
	a, b := f.a.end(setup{}), f.b.end(setup{})
	dialed := f.dial(t.ctx(), a, nil)
	r := f.request()
	if r.Local() == "" || r.Remote() == "" {
		t.Errorf("local %q, remote %q: want both", r.Local(), r.Remote())
	}
	t.must("Accept", t.within("Accept", func() error { return r.Accept(t.ctx(), b.qp, hca.ConnParams{}) }))
	t.must("Connect", t.result("Connect", dialed))
	ai, bi := a.ev.info(), b.ev.info()
	if bi.Local != r.Local() || bi.Remote != r.Remote() {
		t.Errorf("request %q <- %q, connection %q <- %q", r.Local(), r.Remote(), bi.Local, bi.Remote)
	}
	if ai.Remote != bi.Local || ai.Local != bi.Remote {
		t.Errorf("dialer %q -> %q, listener %q <- %q", ai.Local, ai.Remote, bi.Local, bi.Remote)
	}
}

func dialEachOther(t *env) {
	f := t.fixture(hca.Options{})
	back := &fixture{env: t, a: f.b, b: f.a}
	back.ln, back.reqs = f.a.listen()
	for range 10 {
		ends := [4]*end{f.a.end(setup{}), f.b.end(setup{}), f.b.end(setup{}), f.a.end(setup{})}
		there, here := f.dial(t.ctx(), ends[0], nil), back.dial(t.ctx(), ends[2], nil)
		r, s := f.request(), back.request()
		one := start(func() error { return r.Accept(t.ctx(), ends[1].qp, hca.ConnParams{}) })
		two := start(func() error { return s.Accept(t.ctx(), ends[3].qp, hca.ConnParams{}) })
		for what, done := range map[string]<-chan error{"Connect": there, "Connect back": here, "Accept": one, "Accept back": two} {
			t.must(what, t.result(what, done))
		}
		for _, e := range ends {
			e.info = e.ev.info()
		}
		for _, c := range []*conn{{f, ends[0], ends[1]}, {back, ends[2], ends[3]}} {
			c.expectAlive("dialed at the same time")
			c.close()
		}
	}
}

func disconnectFresh(t *env) {
	f := t.fixture(hca.Options{})
	e := f.a.end(setup{})
	t.code("abrupt", e.qp.Disconnect(false), hca.State)
	t.code("graceful", e.qp.Disconnect(true), hca.State)
	e.ev.none("never connected")
	f.connect(e, f.b.end(setup{})) // it is as fresh as before
}
