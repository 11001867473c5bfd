package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var rdmaCases = []Case{
	{"rdma", "a write of every length lands where it should and nowhere else", writeSizes},
	{"rdma", "a read of every length brings what is there and touches nothing", readSizes},
	{"rdma", "writes gather and reads scatter any segments", rdmaSegments},
	{"rdma", "both sides write and read each other at once", rdmaBothWays},
	{"rdma", "a target that never polls is served", passiveTarget},
	{"rdma", "needs no receive at the target", rdmaNoReceive},
}

const rdmaSpare = 100

func writeSizes(t *env) {
	c := t.pair()
	src := c.a.region(1<<20+1, hca.LocalRead)
	dst := c.b.region(1<<20+1+2*rdmaSpare, c.b.all())
	for i, n := range sizes(c.a.attr.MaxRDMA) {
		fill(src.b[:n], i)
		paint(dst.b, 0x33)
		off := t.rng.IntN(rdmaSpare)
		c.a.do(write(dst, off, src.seg(0, n)))
		c.settle(c.a)
		dst.holds("written", off, n, i)
		dst.still("before", 0, off, 0x33)
		dst.still("behind", off+n, len(dst.b)-off-n, 0x33)
		src.holds("source", 0, n, i)
	}
	src.guards("write")
	dst.guards("write")
	c.b.idle("a passive target")
	c.b.rq.empty("a passive target")
	c.b.sq.empty("a passive target")
}

func readSizes(t *env) {
	c := t.pair()
	src := c.b.region(1<<20+1, hca.LocalRead|hca.LocalWrite|hca.RemoteRead)
	dst := c.a.region(1<<20+1+2*rdmaSpare, c.a.sink())
	for i, n := range sizes(c.a.attr.MaxRDMA) {
		fill(src.b, i)
		paint(dst.b, 0x33)
		off := t.rng.IntN(rdmaSpare)
		from := len(src.b) - n // ends with the region's last byte
		c.a.do(read(src, from, dst.seg(off, n)))
		if string(dst.b[off:off+n]) != string(src.b[from:]) {
			t.Errorf("a read of %d brought something else", n)
		}
		dst.still("before", 0, off, 0x33)
		dst.still("behind", off+n, len(dst.b)-off-n, 0x33)
		src.holds("source", 0, len(src.b), i)
	}
	src.guards("read")
	dst.guards("read")
	c.b.idle("a passive target")
	c.b.rq.empty("a passive target")
	c.b.sq.empty("a passive target")
}

func rdmaSegments(t *env) {
	c := t.pair(setup{sge: 64}) // all that the adapter has
	local := c.a.region(70000, hca.LocalRead|c.a.sink())
	far := c.b.region(70000, c.b.all())
	for i, n := range sizes(70000) {
		for _, k := range someSGE(c.a.sge) {
			off, to := t.rng.IntN(len(local.b)-n+1), t.rng.IntN(len(far.b)-n+1)
			fill(local.b[off:off+n], i+k)
			paint(far.b, 0)
			c.a.do(write(far, to, local.cut(off, n, k)...))
			c.settle(c.a)
			far.holds("written", to, n, i+k)
			far.still("before", 0, to, 0)
			far.still("behind", to+n, len(far.b)-to-n, 0)
			paint(local.b, 0)
			c.a.do(read(far, to, local.cut(off, n, min(k, c.a.readSGE()))...))
			local.holds("read", off, n, i+k)
			local.still("before", 0, off, 0)
			local.still("behind", off+n, len(local.b)-off-n, 0)
		}
	}
	local.guards("segments")
	far.guards("segments")
}

func rdmaBothWays(t *env) {
	const n, rounds = 50000, 100
	c := t.pair()
	own, far, back := map[*end]*region{}, map[*end]*region{}, map[*end]*region{}
	for i, e := range c.ends() {
		own[e], far[e], back[e] = e.region(n, hca.LocalRead), e.region(n, e.all()), e.region(n, e.sink())
		fill(own[e].b, i)
	}
	for round := range rounds {
		ids := map[*end]uint64{}
		for _, e := range c.ends() {
			ids[e] = e.post(write(far[c.peer(e)], round, own[e].seg(0, n-round)))
			e.post(read(far[c.peer(e)], round, back[e].seg(0, n-round)))
		}
		for i, e := range c.ends() {
			e.sent(want{id: ids[e], op: hca.OpWrite, len: uint64(n - round)})
			e.sent(want{id: ids[e] + 1, op: hca.OpRead, len: uint64(n - round)})
			back[e].holds("read back", 0, n-round, i)
		}
	}
	for _, e := range c.ends() {
		far[e].guards("both ways")
		back[e].guards("both ways")
	}
}

func passiveTarget(t *env) {
	c := t.pair()
	far := c.b.region(64, c.b.all())
	local := c.a.region(64, hca.LocalRead|c.a.sink())
	for i := range 500 {
		fill(local.b[:32], i)
		c.a.do(write(far, 0, local.seg(0, 32)))
		c.a.do(read(far, 0, local.seg(32, 32)))
		local.holds("read back", 32, 32, i)
	}
}

func rdmaNoReceive(t *env) {
	c := t.pair()
	id := c.b.receive(c.b.mail.seg(0, 8))
	for range 20 {
		c.a.do(write(c.b.mail, 8, c.a.mail.seg(0, 8)))
		c.a.do(read(c.b.mail, 8, c.a.mail.seg(8, 8)))
	}
	if _, r := c.b.qp.Outstanding(); r != 1 {
		t.Errorf("%d receives outstanding, want 1", r)
	}
	c.a.do(send(c.a.mail.seg(0, 8)))
	c.b.got(want{id: id, op: hca.OpRecv, len: 8})
}
