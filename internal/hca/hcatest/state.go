package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var stateCases = []Case{
	{"states", "before connecting, sends are a state error and receives are kept", stateFresh},
	{"states", "after the end, posts are accepted and flushed, in order", stateOver},
	{"states", "work under way is counted", stateOutstanding},
	{"states", "a post behind the end proves that all earlier entries were seen", stateMarker},
}

func stateFresh(t *env) {
	f := t.fixture(hca.Options{})
	e := f.a.end(setup{})
	for _, wr := range []hca.SendWR{
		send(e.mail.seg(0, 8)), send(), write(e.mail, 0, e.mail.seg(0, 8)), read(e.mail, 0, e.mail.seg(0, 8)),
		with(send(), hca.Suppress),
	} {
		t.code(wr.Op.String(), e.qp.PostSend(wr), hca.State)
	}
	n, err := e.qp.PostSends([]hca.SendWR{send(), send()})
	t.code("PostSends", err, hca.State)
	if n != 0 {
		t.Errorf("PostSends took %d", n)
	}
	for _, kind := range []hca.WindowKind{hca.ZoneWindow, hca.EndpointWindow} {
		if f.a.can(windowCap(kind)) {
			t.code("bind", e.qp.PostSend(bindWR(e.window(kind), e.mail, 0, 8, hca.RemoteRead)), hca.State)
		}
	}
	id := e.receive(e.mail.seg(0, 8))
	e.sq.empty("refused posts")
	e.idleBut(0, 1)
	b := f.b.end(setup{})
	f.connect(e, b)
	b.do(send(b.mail.seg(0, 8)))
	e.got(want{id: id, op: hca.OpRecv, len: 8})
	e.idle("used")
}

// idleBut checks how much is outstanding.
func (e *end) idleBut(requests, receives int) {
	e.Helper()
	if s, r := e.qp.Outstanding(); s != requests || r != receives {
		e.Errorf("%s: %d requests and %d receives outstanding, want %d and %d", e.name, s, r, requests, receives)
	}
}

func stateOver(t *env) {
	f := t.fixture(hca.Options{})
	for _, ender := range []int{0, 2, 6} { // graceful, abrupt, broken
		c := f.pair()
		enders[ender].end(c)
		c.a.ev.end(enders[ender].name)
		c.b.ev.end(enders[ender].name)
		c.a.sq.drain() // of the request that broke it
		for _, e := range c.ends() {
			var sends, recvs []uint64
			ops := []hca.SendWR{send(e.mail.seg(0, 8)), write(e.mail, 0, e.mail.seg(0, 8)), read(e.mail, 0, e.mail.seg(0, 8))}
			for i := range 12 {
				sends = append(sends, e.post(ops[i%3]))
				recvs = append(recvs, e.receive(e.mail.seg(0, 8)))
			}
			for i, id := range sends {
				e.sent(want{id: id, op: ops[i%3].Op, status: hca.StatusFlushed})
			}
			e.flushed(recvs...)
			e.idle("over")
			// Requests are still looked at.
			e.code("no operation", e.qp.PostSend(hca.SendWR{Op: 200}), hca.Invalid, hca.Unsupported)
		}
		c.close()
	}
}

func stateOutstanding(t *env) {
	c := t.pair()
	c.a.idle("connected")
	for i := range 5 {
		c.a.idleBut(0, i)
		c.a.receive(c.a.mail.seg(0, 8))
	}
	if n, _ := c.a.qp.Held(); n != 5 {
		t.Errorf("%d buffers held, want 5", n)
	}
	c.b.do(send(c.b.mail.seg(0, 8)))
	c.a.got(want{id: 1, op: hca.OpRecv, len: 8})
	c.a.idleBut(0, 4)
	if t.h.NoReceiveWait || !c.a.info.Acked {
		return // nothing keeps a request of this connection waiting
	}
	for i := range 4 {
		c.a.idleBut(i, 4)
		c.a.post(with(send(c.a.mail.seg(0, 8)), hca.Suppress))
	}
	for range 4 {
		c.b.rq.empty("no receive yet")
		id := c.b.receive(c.b.mail.seg(0, 8))
		c.b.got(want{id: id, op: hca.OpRecv, len: 8})
	}
	c.settle(c.a)
	c.a.idleBut(0, 4)
}

func stateMarker(t *env) {
	f := t.fixture(hca.Options{})
	for round := range 20 {
		c := f.pair()
		var ids []uint64
		for i := range 10 {
			wr := write(c.b.mail, 0, c.a.mail.seg(0, 8))
			if i%2 == 0 {
				wr.Flags = hca.Suppress
			}
			ids = append(ids, c.a.post(wr))
		}
		t.must("Disconnect", c.a.qp.Disconnect(false))
		c.a.ev.end("abrupt")
		marker := c.a.post(send())
		last := uint64(0)
		for last != marker {
			wc := c.a.sq.next("marker")
			if wc.ID <= last {
				t.Errorf("round %d: number %d behind number %d", round, wc.ID, last)
			}
			last = wc.ID
		}
		c.a.sq.empty("behind the marker")
		if marker != ids[9]+1 {
			t.Errorf("marker is number %d", marker)
		}
		c.close()
	}
}
