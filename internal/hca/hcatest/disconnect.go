package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var disconnectCases = []Case{
	{"disconnect", "by both sides at once ends in order", disconnectBoth},
	{"disconnect", "again, in any way, does nothing", disconnectAgain},
	{"disconnect", "when it is over does nothing", disconnectOver},
	{"disconnect", "right after connecting loses no event", disconnectEarly},
}

func disconnectBoth(t *env) {
	f := t.fixture(hca.Options{})
	for _, how := range [][2]bool{{true, true}, {false, false}, {true, false}, {false, true}} {
		for range 10 {
			c := f.pair()
			ids := map[*end]uint64{c.a: c.a.receive(c.a.mail.seg(0, 8)), c.b: c.b.receive(c.b.mail.seg(0, 8))}
			one := start(func() error { return c.a.qp.Disconnect(how[0]) })
			two := start(func() error { return c.b.qp.Disconnect(how[1]) })
			t.must("Disconnect", t.result("Disconnect", one))
			t.must("Disconnect", t.result("Disconnect", two))
			for _, e := range c.ends() {
				e.ev.disconnected("both at once")
				e.flushed(ids[e])
				e.idle("both at once")
			}
			c.close()
			c.a.rq.empty("both at once")
			c.b.rq.empty("both at once")
		}
	}
}

func disconnectAgain(t *env) {
	f := t.fixture(hca.Options{})
	for _, ways := range [][]bool{{true, true}, {false, false}, {true, false}, {false, true}} {
		c := f.pair()
		for _, graceful := range ways {
			t.must("Disconnect", c.a.qp.Disconnect(graceful))
		}
		c.a.ev.disconnected("asked twice")
		c.b.ev.end("asked twice by the peer")
		c.close() // checks that there was one terminal event
	}
}

func disconnectOver(t *env) {
	c := t.pair()
	t.must("Disconnect", c.a.qp.Disconnect(true))
	c.a.ev.disconnected("graceful")
	c.b.ev.disconnected("graceful by the peer")
	for _, e := range c.ends() {
		t.must(e.name+": graceful when over", e.qp.Disconnect(true))
		t.must(e.name+": abrupt when over", e.qp.Disconnect(false))
	}
	c.close()
}

func disconnectEarly(t *env) {
	f := t.fixture(hca.Options{})
	for i := range 40 {
		// The dialer or the listener leaves from inside its own event.
		leave := setup{hook: func(e *end, ev hca.ConnEvent) {
			if ev.Kind == hca.EventEstablished {
				if err := e.qp.Disconnect(i%4 < 2); err != nil {
					t.Errorf("%s: Disconnect inside the event: %v", e.name, err)
				}
			}
		}}
		a, b := setup{}, leave
		if i%2 == 0 {
			a, b = b, a
		}
		c := &conn{fixture: f, a: f.a.end(a), b: f.b.end(b)}
		ids := map[*end]uint64{c.a: c.a.receive(c.a.mail.seg(0, 8)), c.b: c.b.receive(c.b.mail.seg(0, 8))}
		dialed := f.dial(t.ctx(), c.a, nil)
		r := f.request()
		errs := map[*end]error{}
		errs[c.b] = t.within("Accept", func() error { return r.Accept(t.ctx(), c.b.qp, hca.ConnParams{}) })
		errs[c.a] = t.result("Connect", dialed)
		// The other side may learn of the connection or of its failure, not of both.
		for _, e := range c.ends() {
			if errs[e] == nil {
				e.ev.end("left early")
			} else {
				e.ev.none("left early: " + errs[e].Error())
			}
			e.flushed(ids[e])
			e.idle("left early")
		}
		c.close()
	}
}
