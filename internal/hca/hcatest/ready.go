package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var readyCases = []Case{
	{"ready", "tells of entries that are there, and of them only", readyTells},
}

// readyTells takes entries one by one. Meanwhile nothing else can come.
func readyTells(t *env) {
	f := t.fixture(hca.Options{})
	c := f.pair()
	q := c.a.sq
	peeker, peeks := q.cq.(hca.Peeker)
	sentry, watches := q.cq.(hca.Sentry)
	if !peeks && !watches {
		t.Logf("not checked: the queues of this adapter do not tell")
		return
	}
	check := func(what string, there bool) {
		t.Helper()
		if peeks && peeker.Ready() != there {
			t.Errorf("%s: ready is %v", what, !there)
		}
		if watches && there && sentry.Nothing() {
			t.Errorf("%s: a poll is said to find nothing", what)
		}
	}
	check("connected", false)
	for round := range 20 {
		var ids []uint64
		for range 1 + round%5 {
			ids = append(ids, c.a.post(write(c.b.mail, 0, c.a.mail.seg(0, 8))))
		}
		c.settleQuietly()
		for _, id := range ids {
			check("an entry is there", true)
			wcs := q.poll(1)
			if len(wcs) != 1 {
				t.Fatalf("a poll found no entry of a request that is complete")
			}
			c.a.match(wcs[0], want{id: id, op: hca.OpWrite, len: 8})
		}
		check("all are taken", false)
		q.empty("all are taken")
		check("behind an empty poll", false)
	}
	// What is flushed is an entry like others.
	id := c.a.receive(c.a.mail.seg(0, 8))
	c.a.close()
	if p, ok := c.a.rq.cq.(hca.Peeker); ok && !p.Ready() {
		t.Errorf("a flushed receive is not ready behind Close")
	}
	c.a.flushed(id)
}
