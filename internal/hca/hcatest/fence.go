package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var fenceCases = []Case{
	{"fence", "a fenced request starts when earlier reads are complete", fenceWrite},
	{"fence", "a fenced send shows that the read before it is done", fenceSend},
	{"fence", "a fenced request takes what the read before it has brought", fenceThrough},
	{"fence", "without reads under way changes nothing", fenceIdle},
}

func fenceWrite(t *env) {
	const n = 1 << 20
	c := t.pair()
	far := c.b.region(n, c.b.all())
	local, in := c.a.region(n, hca.LocalRead), c.a.region(n, c.a.sink())
	paint(far.b, 0x11)
	for round := range 10 {
		// The later write must not overtake the read.
		v := byte(0x11 + round)
		paint(local.b, v+1)
		first := c.a.post(read(far, 0, in.seg(0, n)))
		second := c.a.post(with(write(far, 0, local.seg(0, n)), hca.Fence))
		c.a.sent(want{id: first, op: hca.OpRead, len: n})
		in.still("read before the fence", 0, n, v)
		c.a.sent(want{id: second, op: hca.OpWrite, len: n, flags: hca.Fence})
		c.settle(c.a)
		far.still("written behind the fence", 0, n, v+1)
	}
	if noAtomics(c) {
		return
	}
	for i := range 50 {
		far.setWord(0, 0)
		paint(local.b[:8], 0xFF)
		first := c.a.post(addWord(far, 0, in.seg(0, 8), 1))
		second := c.a.post(with(write(far, 0, local.seg(0, 8)), hca.Fence))
		c.a.sent(want{id: first, op: hca.OpFetchAdd, len: 8})
		c.a.sent(want{id: second, op: hca.OpWrite, len: 8, flags: hca.Fence})
		if in.word(0) != 0 {
			t.Errorf("round %d: the fetch-add saw %#x, which was written behind it", i, in.word(0))
		}
		c.settle(c.a)
	}
}

func fenceSend(t *env) {
	const n = 256 << 10
	c := t.pair()
	far := c.b.region(n, c.b.all())
	in := c.a.region(n, c.a.sink())
	for round := range 10 {
		v := byte(1 + round)
		paint(far.b, v)
		id := c.b.receive(c.b.mail.seg(0, 8))
		first := c.a.post(read(far, 0, in.seg(0, n)))
		second := c.a.post(with(send(c.a.mail.seg(0, 8)), hca.Fence))
		c.b.got(want{id: id, op: hca.OpRecv, len: 8})
		paint(far.b, 0xFF) // the message says that the peer has it
		c.a.sent(want{id: first, op: hca.OpRead, len: n})
		c.a.sent(want{id: second, op: hca.OpSend, len: 8, flags: hca.Fence})
		in.still("read before the fence", 0, n, v)
	}
}

// fenceThrough sends the result of a read on, in a message and in a write.
func fenceThrough(t *env) {
	const most = 256 << 10
	c := t.pair()
	from, to := c.b.region(most, c.b.all()), c.b.region(most, c.b.all())
	in := c.a.region(most, c.a.all())
	for round := range 40 {
		n := []int{8, 200, 5000, most}[round%4]
		v := byte(1 + round)
		paint(from.b, v)
		paint(in.b, 0)
		paint(to.b, 0)
		first := c.a.post(read(from, 0, in.seg(0, n)))
		if round%8 < 4 {
			id := c.b.receive(to.seg(0, n))
			second := c.a.post(with(send(in.seg(0, n)), hca.Fence))
			c.b.got(want{id: id, op: hca.OpRecv, len: uint64(n)})
			c.a.sent(want{id: first, op: hca.OpRead, len: uint64(n)})
			c.a.sent(want{id: second, op: hca.OpSend, len: uint64(n), flags: hca.Fence})
		} else {
			second := c.a.post(with(write(to, 0, in.seg(0, n)), hca.Fence))
			c.a.sent(want{id: first, op: hca.OpRead, len: uint64(n)})
			c.a.sent(want{id: second, op: hca.OpWrite, len: uint64(n), flags: hca.Fence})
			c.settle(c.a)
		}
		to.still("passed on", 0, n, v)
	}
}

func fenceIdle(t *env) {
	c := t.pair()
	for range 50 {
		c.a.do(with(write(c.b.mail, 0, c.a.mail.seg(0, 8)), hca.Fence))
		c.a.do(with(read(c.b.mail, 0, c.a.mail.seg(8, 8)), hca.Fence))
	}
	c.a.idle("all done")
}
