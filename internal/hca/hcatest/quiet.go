package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var quietCases = []Case{
	{"quiet", "an entry wakes nobody and says so", quietSend},
	{"quiet", "a receive wakes nobody and says so", quietRecv},
	{"quiet", "an error wakes", quietError},
}

// quietly checks, after a single Arm, that the request of quiet makes an entry without
// a call of Notify, and that of loud one with a call.
func (q *queue) quietly(quiet func() want, loud func() want, e *end) {
	q.Helper()
	q.must("Arm", q.cq.Arm())
	before := q.rings.Load()
	w := quiet()
	e.match(q.spin("quiet entry"), w)
	if n := q.rings.Load() - before; n != 0 {
		q.Errorf("%s: a quiet entry has called Notify", q.name)
	}
	w = loud()
	await(q.env, "Notify of a loud entry", q.bell)
	e.match(q.spin("loud entry"), w)
	if n := q.rings.Load() - before; n != 1 {
		q.Errorf("%s: one Arm, %d calls of Notify", q.name, n)
	}
}

func quietSend(t *env) {
	c := t.pair()
	post := func(f hca.Flags) func() want {
		return func() want {
			wr := with(write(c.b.mail, 0, c.a.mail.seg(0, 8)), f)
			return want{id: c.a.post(wr), op: hca.OpWrite, len: 8, flags: f}
		}
	}
	for range 100 {
		c.a.sq.quietly(post(hca.Quiet), post(0), c.a)
	}
}

func quietRecv(t *env) {
	c := t.pair()
	post := func(f hca.Flags) func() want {
		return func() want {
			id := c.b.id()
			t.must("PostRecv", c.b.qp.PostRecv(hca.RecvWR{ID: id, Flags: f, Local: c.b.mail.seg(0, 8)}))
			c.a.do(send(c.a.mail.seg(0, 8)))
			return want{id: id, op: hca.OpRecv, len: 8, flags: f}
		}
	}
	for range 100 {
		c.b.rq.quietly(post(hca.Quiet), post(0), c.b)
	}
}

func quietError(t *env) {
	f := t.fixture(hca.Options{})
	c := f.pair()
	id := c.b.id()
	t.must("PostRecv", c.b.qp.PostRecv(hca.RecvWR{ID: id, Flags: hca.Quiet, Local: c.b.mail.seg(0, 8)}))
	t.must("Arm", c.b.rq.cq.Arm())
	t.must("Arm", c.a.sq.cq.Arm())
	wr := with(write(c.b.mail, 0, c.a.mail.seg(0, 8)), hca.Quiet)
	wr.Local.Key ^= 0x5A5A5A
	sent := c.a.post(wr)
	await(t, "Notify of a failed quiet request", c.a.sq.bell)
	// match expects that the entry no longer says Quiet.
	c.a.match(c.a.sq.spin("failed"), want{id: sent, op: hca.OpWrite, flags: hca.Quiet, status: hca.StatusLocalProtection})
	await(t, "Notify of a flushed quiet receive", c.b.rq.bell)
	c.b.match(c.b.rq.spin("flushed"), want{id: id, op: hca.OpRecv, flags: hca.Quiet, status: hca.StatusFlushed})
}
