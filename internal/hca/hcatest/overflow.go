package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var overflowCases = []Case{
	{"completion queue", "overflow is reported and breaks its queue pairs", overflow},
	{"completion queue", "filled to its depth loses nothing", exactlyFull},
}

func overflow(t *env) {
	f := t.fixture(hca.Options{})
	f.a.async.expect(hca.AsyncCQOverflow)
	q := f.a.queue(4)
	depth := q.cq.Depth()
	if depth < 4 {
		t.Errorf("depth %d, want at least 4", depth)
	}
	if depth > 512 {
		t.Logf("not checked: the smallest queue has %d entries", depth)
		return
	}
	cfg := setup{sq: q, rq: f.a.queue(256), send: limit(depth+64, f.a.attr.MaxSendWR)}
	c, other, beside := f.pair(cfg, setup{}), f.pair(cfg, setup{}), f.pair()
	for range depth + 32 {
		wr := write(c.b.mail, 0, c.a.mail.seg(0, 8))
		wr.ID = c.a.id()
		if err := c.a.qp.PostSend(wr); err != nil { // broken by now, or full
			t.code("PostSend", err, hca.QueueFull, hca.State)
		}
	}
	if ev := f.a.async.wait(hca.AsyncCQOverflow); ev.Object != any(q.cq) || ev.Err == nil {
		t.Errorf("overflow of %v (%v), want of the queue with its cause", ev.Object, ev.Err)
	}
	if r, ok := q.cq.(hca.CQStatsReader); ok && r.ReadStats(hca.NewPatience(false)).Overflows != 1 {
		t.Errorf("the queue counts %d overflows", r.ReadStats(hca.NewPatience(false)).Overflows)
	}
	for _, x := range []*conn{c, other} {
		x.a.ev.broken("overflow")
		x.b.ev.end("overflow at the peer")
	}
	for range q.drain() { // the remaining entries can be taken
	}
	beside.expectAlive("beside an overflow")
	c.close()
	other.close()
	t.must("CQ.Close", q.cq.Close())
}

func exactlyFull(t *env) {
	f := t.fixture(hca.Options{})
	q := f.a.queue(8)
	n := q.cq.Depth()
	if n > f.a.attr.MaxSendWR || n > 1024 {
		t.Logf("not checked: the smallest queue has %d entries", n)
		return
	}
	c := f.pair(setup{sq: q, send: n + 1}, setup{})
	for range 5 {
		var ids []uint64
		for range n {
			ids = append(ids, c.a.post(write(c.b.mail, 0, c.a.mail.seg(0, 8))))
		}
		for len(ids) > n/2 { // half of it, and round again
			c.a.sent(want{id: ids[0], op: hca.OpWrite, len: 8})
			ids = ids[1:]
		}
		for range n - len(ids) {
			ids = append(ids, c.a.post(write(c.b.mail, 0, c.a.mail.seg(0, 8))))
		}
		for _, id := range ids {
			c.a.sent(want{id: id, op: hca.OpWrite, len: 8})
		}
	}
	c.expectAlive("after a full queue")
}
