package hcatest

import (
	"encoding/binary"

	"github.com/godapl/godapl/internal/hca"
)

var crowdCases = []Case{
	{"crowd", "many peers dial one listener at once and are not mixed up", crowd},
	{"crowd", "connections come and go without using anything up", comeAndGo},
}

func crowd(t *env) {
	const n = 24
	f := t.fixture(hca.Options{})
	var dialers, listeners [n]*end
	var dialed, accepted [n]<-chan error
	for i := range n {
		dialers[i], listeners[i] = f.a.end(setup{}), f.b.end(setup{})
		listeners[i].receive(listeners[i].mail.seg(0, 8))
	}
	for i, e := range dialers {
		word := binary.BigEndian.AppendUint64(nil, uint64(i))
		dialed[i] = f.dial(t.ctx(), e, word)
	}
	for range n {
		r := f.request()
		i := int(binary.BigEndian.Uint64(r.Private()))
		if accepted[i] != nil {
			t.Fatalf("peer %d is there twice", i)
		}
		accepted[i] = start(func() error {
			return r.Accept(t.ctx(), listeners[i].qp, hca.ConnParams{Private: r.Private()})
		})
	}
	for i := range n {
		t.must("Connect", t.result("Connect", dialed[i]))
		t.must("Accept", t.result("Accept", accepted[i]))
		if w := binary.BigEndian.Uint64(dialers[i].ev.info().Private); w != uint64(i) {
			t.Errorf("peer %d was answered for peer %d", i, w)
		}
		fill(dialers[i].mail.b, i)
		dialers[i].do(send(dialers[i].mail.seg(0, 8)))
	}
	for i, e := range listeners {
		e.got(want{id: 1, op: hca.OpRecv, len: 8})
		e.mail.holds("message", 0, 8, i)
		e.close()
		dialers[i].ev.disconnected("peer closed")
	}
}

func comeAndGo(t *env) {
	f := t.fixture(hca.Options{})
	small := setup{send: 4, recv: 4, entries: 16}
	for i := range 100 {
		c := f.pair(small)
		c.expectAlive("one of many")
		first, second := c.a, c.b
		if i%2 == 0 {
			first, second = c.b, c.a
		}
		first.close()
		second.ev.end("peer closed")
		second.close()
		for _, e := range c.ends() {
			t.must("CQ.Close", e.sq.cq.Close())
			t.must("CQ.Close", e.rq.cq.Close())
			t.must("MR.Close", e.mail.mr.Close())
		}
	}
}
