package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var sendCases = []Case{
	{"send", "of every length arrives whole, and nothing around it is touched", sendSizes},
	{"send", "gathers and scatters any segments", sendSegments},
	{"send", "both directions at once do not disturb each other", sendBothWays},
	{"send", "the list of segments is the caller's again after the post", sendCopiesList},
	{"send", "a post returns although no receive is there", sendNeverBlocks},
}

// sizes are the lengths that data cases use, up to the adapter's maximum.
func sizes(most uint64) []int {
	var s []int
	for _, n := range []int{0, 1, 7, 64, 4096, 65536 + 1, 1 << 20, 1<<20 + 1} {
		if uint64(n) <= most {
			s = append(s, n)
		}
	}
	return s
}

func sendSizes(t *env) {
	c := t.pair()
	src := c.a.region(1<<20+1, hca.LocalRead)
	dst := c.b.region(1<<20+1+16, hca.LocalRead|hca.LocalWrite)
	for i, n := range sizes(c.a.attr.MaxMessage) {
		for _, spare := range []int{0, 16} { // a receive may be larger than the message
			fill(src.b[:n], i)
			paint(dst.b, 0x33)
			id := c.b.receive(dst.seg(0, n+spare))
			c.a.do(send(src.seg(0, n)))
			c.b.got(want{id: id, op: hca.OpRecv, len: uint64(n)})
			dst.holds("message", 0, n, i)
			dst.still("behind the message", n, len(dst.b)-n, 0x33)
			src.holds("source", 0, n, i)
		}
	}
	src.guards("send")
	dst.guards("send")
	c.a.idle("all done")
	c.b.idle("all done")
}

func sendSegments(t *env) {
	c := t.pair(setup{sge: 64}) // all that the adapter has
	src := c.a.region(70000, hca.LocalRead)
	dst := c.b.region(70000, hca.LocalRead|hca.LocalWrite)
	for i, n := range sizes(70000) {
		for _, k := range someSGE(c.a.sge) {
			for _, l := range someSGE(c.b.sge) {
				off := t.rng.IntN(len(src.b) - n + 1)
				to := t.rng.IntN(len(dst.b) - n + 1)
				fill(src.b[off:off+n], i+k)
				paint(dst.b, 0)
				id := c.b.receive(dst.cut(to, n, l)...)
				c.a.do(send(src.cut(off, n, k)...))
				c.b.got(want{id: id, op: hca.OpRecv, len: uint64(n)})
				dst.holds("message", to, n, i+k)
				dst.still("before", 0, to, 0)
				dst.still("behind", to+n, len(dst.b)-to-n, 0)
			}
		}
	}
	dst.guards("send")
}

func sendBothWays(t *env) {
	const n, rounds = 30000, 200
	c := t.pair()
	out := map[*end]*region{c.a: c.a.region(n, hca.LocalRead), c.b: c.b.region(n, hca.LocalRead)}
	in := map[*end]*region{c.a: c.a.region(2*n, hca.LocalWrite), c.b: c.b.region(2*n, hca.LocalWrite)}
	recvs := map[*end][]uint64{}
	for i, e := range c.ends() {
		fill(out[e].b, i)
		recvs[e] = append(recvs[e], e.receive(in[e].seg(0, n)))
	}
	for round := range rounds {
		ids := map[*end]uint64{}
		for _, e := range c.ends() {
			recvs[e] = append(recvs[e], e.receive(in[e].seg((round+1)%2*n, n)))
			ids[e] = e.post(send(out[e].seg(0, n-round)))
		}
		for i, e := range c.ends() {
			p := c.peer(e)
			e.sent(want{id: ids[e], op: hca.OpSend, len: uint64(n - round)})
			p.got(want{id: recvs[p][round], op: hca.OpRecv, len: uint64(n - round)})
			in[p].holds("message", round%2*n, n-round, i)
		}
	}
	for _, e := range c.ends() {
		in[e].guards("both ways")
	}
}

func sendCopiesList(t *env) {
	c := t.pair()
	if c.a.sge < 3 {
		t.Logf("one or two segments only: nothing to check")
		return
	}
	src := c.a.region(30, hca.LocalRead)
	dst := c.b.region(30, hca.LocalWrite)
	fill(src.b, 1)
	for range 100 {
		in := []hca.Segment{dst.seg(10, 10), dst.seg(20, 10)}
		id := c.b.id()
		t.must("PostRecv", c.b.qp.PostRecv(hca.RecvWR{ID: id, Local: dst.seg(0, 10), More: in}))
		clear(in)
		out := []hca.Segment{src.seg(10, 10), src.seg(20, 10)}
		wr := send(src.seg(0, 10))
		wr.More = out
		sid := c.a.post(wr)
		clear(out)
		c.a.sent(want{id: sid, op: hca.OpSend, len: 30})
		c.b.got(want{id: id, op: hca.OpRecv, len: 30})
		dst.holds("message", 0, 30, 1)
		paint(dst.b, 0)
	}
}

func sendNeverBlocks(t *env) {
	if t.h.NoReceiveWait {
		t.Logf("not checked: this device breaks the connection instead")
		return
	}
	const n, count = 1 << 20, 16
	c := t.pair()
	src := c.a.region(n, hca.LocalRead)
	dst := c.b.region(n, hca.LocalWrite)
	fill(src.b, 1)
	var ids []uint64
	t.must("posts", t.within("16 posts of 1 MiB without a receive", func() error {
		for range count {
			wr := send(src.seg(0, n))
			wr.ID = c.a.id()
			ids = append(ids, wr.ID)
			if err := c.a.qp.PostSend(wr); err != nil {
				return err
			}
		}
		return nil
	}))
	for _, id := range ids {
		paint(dst.b, 0)
		rid := c.b.receive(dst.seg(0, n))
		c.b.got(want{id: rid, op: hca.OpRecv, len: n})
		dst.holds("message", 0, n, 1)
		c.a.sent(want{id: id, op: hca.OpSend, len: n})
	}
}
