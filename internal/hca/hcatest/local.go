package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var localCases = []Case{
	{"local memory", "a bad segment fails its request and breaks the connection", badSegments},
	{"local memory", "a bad segment of a receive fails when a message uses it", badReceives},
	{"local memory", "a bad segment behind good ones fails all the same", badLater},
	{"local memory", "freed under posted work fails that work when its turn comes", freedUnderWork},
}

// bad makes segments of 8 bytes that may not be used, given the right needed.
func (e *end) bad(need hca.Access) map[string]hca.Segment {
	e.Helper()
	good := e.region(64, hca.LocalRead|e.sink())
	segs := map[string]hca.Segment{
		"an unknown key":       {Addr: good.at(0), Len: 8, Key: good.mr.LKey() ^ 0x5A5A5A},
		"no key":               {Addr: good.at(0), Len: 8},
		"a byte before":        good.seg(-1, 8),
		"a byte over the end":  good.seg(57, 8),
		"behind the end":       good.seg(64, 8),
		"a wrap of 64 bits":    {Addr: ^uint64(0) - 3, Len: 8, Key: good.mr.LKey()},
		"another domain's key": e.regionIn(e.domain(), 64, e.all()).seg(0, 8),
	}
	freed := e.region(64, e.all())
	segs["a freed region"] = freed.seg(0, 8)
	e.must("MR.Close", freed.mr.Close())
	if need == hca.LocalWrite {
		segs["a region without local write"] = e.region(64, hca.LocalRead|hca.RemoteRead).seg(0, 8)
	} else if !e.h.LocalReadAlways {
		segs["a region without local read"] = e.region(64, hca.LocalWrite).seg(0, 8)
	}
	return segs
}

func badSegments(t *env) {
	f := t.fixture(hca.Options{})
	probe := f.pair()
	for op, need := range map[hca.Op]hca.Access{
		hca.OpSend: hca.LocalRead, hca.OpWrite: hca.LocalRead, hca.OpRead: hca.LocalWrite, hca.OpFetchAdd: hca.LocalWrite,
	} {
		if op == hca.OpFetchAdd && !probe.a.has(hca.CapAtomics) {
			continue // its refusal is checked under attributes
		}
		for what, seg := range probe.a.bad(need) {
			c := f.pair()
			what := op.String() + " with " + what
			kept := c.b.receive(c.b.mail.seg(0, 8))
			mine := c.a.receive(c.a.mail.seg(0, 8))
			id := c.a.post(remote(op, c.b.mail, 8, seg))
			behind := c.a.post(write(c.b.mail, 16, c.a.mail.seg(0, 8)))
			c.a.sent(want{id: id, op: op, status: hca.StatusLocalProtection})
			c.a.sent(want{id: behind, op: hca.OpWrite, status: hca.StatusFlushed})
			c.a.ev.broken(what)
			c.b.ev.end(what)
			c.a.flushed(mine)
			c.b.flushed(kept)
			c.close()
			c.b.mail.still(what, 0, mailLen, 0)
		}
	}
	probe.expectAlive("beside local errors")
}

func badReceives(t *env) {
	f := t.fixture(hca.Options{})
	probe := f.pair()
	for what, seg := range probe.b.bad(hca.LocalWrite) {
		c := f.pair()
		id := c.b.receive(seg)
		behind := c.b.receive(c.b.mail.seg(0, 8))
		sent := c.a.post(send(c.a.mail.seg(0, 8)))
		c.b.got(want{id: id, op: hca.OpRecv, status: hca.StatusLocalProtection})
		c.b.flushed(behind)
		c.b.ev.broken(what)
		wc := c.a.sq.next(what)
		statuses := []hca.Status{hca.StatusRemoteOp, hca.StatusRemoteInvalid, hca.StatusRemoteAccess}
		if !c.a.info.Acked {
			statuses = []hca.Status{hca.StatusOK, hca.StatusFlushed}
		}
		c.a.one(what, wc, sent, hca.OpSend, statuses)
		c.a.ev.end(what)
		c.close()
	}
	probe.expectAlive("beside local errors")
}

func badLater(t *env) {
	f := t.fixture(hca.Options{})
	probe := f.pair()
	k := probe.a.sge
	if k < 2 {
		t.Logf("one segment only: nothing to check")
		return
	}
	bad := probe.a.bad(hca.LocalRead)["an unknown key"]
	for i := range k {
		c := f.pair()
		segs := make([]hca.Segment, k)
		for j := range segs {
			segs[j] = c.a.mail.seg(8*j, 8)
		}
		segs[i] = bad
		id := c.a.post(write(c.b.mail, 0, segs...))
		c.a.sent(want{id: id, op: hca.OpWrite, status: hca.StatusLocalProtection})
		c.a.ev.broken("bad segment")
		c.b.ev.end("bad segment")
		c.close()
	}
}

func freedUnderWork(t *env) {
	f := t.fixture(hca.Options{})
	// A receive whose region is closed before the message comes.
	c := f.pair()
	r := c.b.region(64, hca.LocalWrite)
	id := c.b.receive(r.seg(0, 64))
	t.must("MR.Close with a receive posted", t.within("MR.Close", r.mr.Close))
	fill(c.a.mail.b, 1)
	c.a.post(send(c.a.mail.seg(0, 8)))
	c.b.got(want{id: id, op: hca.OpRecv, status: hca.StatusLocalProtection})
	c.b.ev.broken("freed under a receive")
	c.a.ev.end("freed under a receive")
	r.still("freed under a receive", 0, 64, 0)
	c.close()
	if t.h.NoReceiveWait || t.h.LooseStatus {
		return // all waiting requests are flushed, and the failing one is not distinguished
	}
	// A send that waits for a receive while its region goes. If the bytes were
	// taken before, they are those of before.
	c = f.pair()
	src := c.a.region(64<<10, hca.LocalRead)
	dst := c.b.region(64<<10, hca.LocalWrite)
	fill(src.b, 5)
	first := c.a.post(send(c.a.mail.seg(0, 8)))
	second := c.a.post(send(src.seg(0, 64<<10)))
	t.must("MR.Close with a send posted", t.within("MR.Close", src.mr.Close))
	paint(src.b, 0xEE)
	c.b.receive(c.b.mail.seg(0, 8))
	got := c.b.receive(dst.seg(0, 64<<10))
	c.a.sent(want{id: first, op: hca.OpSend, len: 8})
	wc := c.a.sq.next("send from a freed region")
	c.a.one("send from a freed region", wc, second, hca.OpSend, []hca.Status{hca.StatusOK, hca.StatusLocalProtection})
	c.b.got(want{id: got - 1, op: hca.OpRecv, len: 8})
	if wc.Status == hca.StatusOK {
		c.b.got(want{id: got, op: hca.OpRecv, len: 64 << 10})
		dst.holds("sent before the region was freed", 0, 64<<10, 5)
		return
	}
	c.a.ev.broken("freed under a send")
	c.b.ev.end("freed under a send")
	for i, v := range dst.b {
		if v == 0xEE && pattern(5, i) != 0xEE {
			t.Fatalf("byte %d was sent after the region was freed", i)
		}
	}
}
