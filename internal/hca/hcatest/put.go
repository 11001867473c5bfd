package hcatest

import "github.com/godapl/godapl/internal/hca"

var putCases = []Case{
	{"put", "bytes are in their place behind the call, and a message posted next comes after them", putArrives},
	{"put", "needs neither a receive nor that what was posted before is complete", putBeside},
	{"put", "does what the key allows and no more", putRights},
	{"put", "does nothing without a connection", putUnconnected},
}

// putter is what puts at an end; nil if its adapter does not.
func (e *end) putter() hca.Putter {
	p, ok := e.info.Poster.(hca.Putter)
	if !ok {
		e.Logf("not checked: this adapter does not write without a request")
	}
	return p
}

// put puts bytes, and reports whether that was possible. What is missing may come, for instance a file of the peer.
func (c *conn) put(p hca.Putter, dst *region, off int, b []byte) bool {
	for range 50 {
		if p.Put(b, dst.at(off), dst.mr.RKey()) {
			return true
		}
		c.settle(c.a)
	}
	return false
}

func putArrives(t *env) {
	c := t.pair()
	p := c.a.putter()
	if p == nil {
		return
	}
	const spare = 100
	dst := c.b.region(1<<20+2*spare, c.b.all())
	from := make([]byte, 1<<20) // in no region
	puts, bytes := uint64(0), uint64(0)
	for i, n := range sizes(1 << 20) {
		if n == 0 {
			continue
		}
		fill(from[:n], i)
		paint(dst.b, 0x33)
		off := t.rng.IntN(spare)
		if !c.put(p, dst, off, from[:n]) {
			t.Logf("not checked: the memory cannot be accessed from here")
			return
		}
		puts, bytes = puts+1, bytes+uint64(n)
		paint(from[:n], 0) // the call has ended with the use of them
		id := c.b.receive(c.b.mail.seg(0, 8))
		c.a.post(send(c.a.mail.seg(0, 8)))
		c.b.got(want{id: id, op: hca.OpRecv, len: 8})
		dst.holds("put", off, n, i)
		dst.still("before", 0, off, 0x33)
		dst.still("behind", off+n, len(dst.b)-off-n, 0x33)
	}
	dst.guards("put")
	if s, ok := c.a.stats(); ok && (s.Ops[hca.OpWrite] != hca.OpStats{N: puts, Bytes: bytes}) {
		t.Errorf("%d writes of %d bytes counted, want %d of %d", s.Ops[hca.OpWrite].N, s.Ops[hca.OpWrite].Bytes, puts, bytes)
	}
}

func putBeside(t *env) {
	if t.h.NoReceiveWait {
		t.Logf("not checked: this device breaks the connection instead")
		return
	}
	c := t.pair()
	p := c.a.putter()
	if p == nil {
		return
	}
	dst := c.b.region(4096, c.b.all())
	if !c.put(p, dst, 0, make([]byte, 8)) {
		t.Logf("not checked: the memory cannot be accessed from here")
		return
	}
	first := c.a.post(send(c.a.mail.seg(0, 8))) // waits for a receive
	from := make([]byte, 1024)
	fill(from, 7)
	if !p.Put(from, dst.at(100), dst.mr.RKey()) {
		t.Errorf("nothing was put beside a message that waits")
	}
	dst.holds("put", 100, len(from), 7)
	c.a.sq.empty("the message waits")
	id := c.b.receive(c.b.mail.seg(0, 8))
	c.b.got(want{id: id, op: hca.OpRecv, len: 8})
	c.a.sent(want{id: first, op: hca.OpSend, len: 8})
	c.a.idle("a put is no request")
}

func putRights(t *env) {
	c := t.pair()
	p := c.a.putter()
	if p == nil {
		return
	}
	b := make([]byte, 64)
	fill(b, 1)
	readable := c.b.region(256, hca.LocalRead|hca.LocalWrite|hca.RemoteRead)
	freed := c.b.region(256, c.b.all())
	inside := c.b.region(256, c.b.all())
	window := c.b.window(hca.ZoneWindow)
	key := c.b.bind(window, inside, 64, 64, hca.RemoteWrite)
	t.must("Close", freed.mr.Close())
	check := func(what string, r *region, at uint64, key hca.Key) {
		t.Helper()
		for range 20 {
			if p.Put(b, at, key) {
				t.Errorf("bytes were put %s", what)
			}
		}
		r.still(what, 0, len(r.b), 0)
		r.guards(what)
	}
	check("without the right to write", readable, readable.at(0), readable.mr.RKey())
	check("into a region that is freed", freed, freed.at(0), freed.mr.RKey())
	check("before a region", inside, inside.at(-8), inside.mr.RKey())
	check("behind a region", inside, inside.at(256-56), inside.mr.RKey())
	check("with an address that wraps around", inside, ^uint64(0)-8, inside.mr.RKey())
	check("before a window", inside, inside.at(56), key)
	check("behind a window", inside, inside.at(72), key)
	c.b.unbind(window)
	check("under the key of a window that is gone", inside, inside.at(64), key)
	c.a.do(write(inside, 0, c.a.mail.seg(0, 8))) // the connection is as it was
}

func putUnconnected(t *env) {
	c := t.pair()
	p := c.a.putter()
	if p == nil {
		return
	}
	dst := c.b.region(256, c.b.all())
	can := c.put(p, dst, 0, make([]byte, 8))
	t.must("Disconnect", c.a.qp.Disconnect(true))
	c.a.ev.disconnected("this side left")
	c.b.ev.disconnected("the peer left")
	b := make([]byte, 64)
	fill(b, 1)
	if p.Put(b, dst.at(0), dst.mr.RKey()) {
		t.Errorf("bytes were put after the end (before it: %t)", can)
	}
	dst.still("after the end", 0, len(dst.b), 0)
	c.close()
	if p.Put(b, dst.at(0), dst.mr.RKey()) {
		t.Errorf("bytes were put after Close")
	}
}
