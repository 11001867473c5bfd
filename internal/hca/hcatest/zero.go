package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var zeroCases = []Case{
	{"zero length", "reads and writes are not checked and do nothing", zeroRDMA},
	{"zero length", "a send takes a receive, of any size", zeroSend},
	{"zero length", "local segments are not looked at", zeroSegments},
}

func zeroRDMA(t *env) {
	c := t.pair()
	far := c.b.region(64, hca.LocalRead|hca.LocalWrite|hca.RemoteRead)
	local := c.a.region(64, hca.LocalRead|c.a.sink())
	for _, addr := range []uint64{0, far.at(0), far.at(64), far.at(65), ^uint64(0)} {
		for _, key := range []hca.Key{0, far.mr.RKey(), far.mr.RKey() ^ 1, 0xFFFFFFFF} {
			for _, op := range []hca.Op{hca.OpWrite, hca.OpRead} {
				c.a.do(hca.SendWR{Op: op, Remote: addr, RKey: key})
				c.a.do(hca.SendWR{Op: op, Remote: addr, RKey: key, Local: local.seg(3, 0)})
			}
		}
	}
	if c.a.has(hca.CapWriteImm) {
		id := c.b.receive()
		c.a.do(hca.SendWR{Op: hca.OpWriteImm, Remote: 1, RKey: 1, Imm: 5})
		if wc := c.b.got(want{id: id, op: hca.OpRecvWriteImm}); wc.Imm != 5 {
			t.Errorf("immediate data %d, want 5", wc.Imm)
		}
	}
	c.settle(c.a)
	far.still("zero length", 0, 64, 0)
	local.still("zero length", 0, 64, 0)
	c.expectAlive("after zero lengths")
}

func zeroSend(t *env) {
	c := t.pair()
	box := c.b.region(64, hca.LocalWrite)
	paint(box.b, 0x33)
	for range 20 {
		for _, segs := range [][]hca.Segment{nil, {box.seg(0, 64)}, {box.seg(64, 0)}} {
			id := c.b.receive(segs...)
			c.a.do(send())
			c.b.got(want{id: id, op: hca.OpRecv})
		}
	}
	box.still("empty messages", 0, 64, 0x33)
}

func zeroSegments(t *env) {
	c := t.pair()
	if c.a.sge < 3 {
		t.Logf("fewer than three segments: nothing to check")
		return
	}
	local, far := c.a.region(64, hca.LocalRead|c.a.sink()), c.b.region(64, c.b.all())
	nonsense := hca.Segment{Addr: ^uint64(0) - 5, Key: 0xBADBAD}
	fill(local.b, 1)
	for at := range 3 {
		for _, two := range []bool{false, true} {
			segs := []hca.Segment{local.seg(0, 8), local.seg(0, 8), local.seg(0, 8)}
			segs[at] = nonsense
			if two {
				segs[(at+1)%3] = nonsense
			}
			n := int(length(send(segs...)))
			c.a.do(write(far, 0, segs...))
			if c.a.readSGE() >= 3 {
				c.a.do(read(far, 0, segs...))
			}
			in := []hca.Segment{far.seg(32, n), nonsense, nonsense}
			in[0], in[at] = in[at], in[0]
			id := c.b.receive(in...)
			c.a.do(send(segs...))
			c.b.got(want{id: id, op: hca.OpRecv, len: uint64(n)})
			far.holds("message", 32, 8, 1)
		}
	}
}
