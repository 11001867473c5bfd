package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var batchCases = []Case{
	{"batches", "are carried out in order like single posts", batchOrder},
	{"batches", "stop at the first request that is refused", batchRefused},
	{"batches", "fill the queue and tell how far they came", batchFull},
	{"batches", "of nothing do nothing", batchEmpty},
	{"batches", "of requests with many segments arrive whole", batchSegments},
}

func batchOrder(t *env) {
	const n = 40
	c := t.pair()
	src, dst := c.a.region(8*n, hca.LocalRead), c.b.region(8*n, c.b.all())
	for round := range 50 {
		fill(src.b, round)
		paint(dst.b, 0)
		var recvs []hca.RecvWR
		var sends []hca.SendWR
		for i := range n {
			wr := write(dst, 8*i, src.seg(8*i, 8))
			if i%4 == 0 {
				wr = send(src.seg(8*i, 8))
				recvs = append(recvs, hca.RecvWR{ID: c.b.id(), Local: dst.seg(8*i, 8)})
			}
			if i%3 == 1 {
				wr.Flags = hca.Suppress
			}
			wr.ID = c.a.id()
			sends = append(sends, wr)
		}
		if k, err := c.b.qp.PostRecvs(recvs); k != len(recvs) || err != nil {
			t.Fatalf("PostRecvs of %d: %d, %v", len(recvs), k, err)
		}
		if k, err := c.a.qp.PostSends(sends); k != n || err != nil {
			t.Fatalf("PostSends of %d: %d, %v", n, k, err)
		}
		for _, wr := range sends {
			if wr.Flags == 0 {
				c.a.sent(want{id: wr.ID, op: wr.Op, len: 8})
			}
		}
		for _, wr := range recvs {
			c.b.got(want{id: wr.ID, op: hca.OpRecv, len: 8})
		}
		c.settle(c.a)
		dst.holds("all of it", 0, 8*n, round)
	}
}

func batchRefused(t *env) {
	c := t.pair()
	wrs := []hca.SendWR{
		write(c.b.mail, 0, c.a.mail.seg(0, 8)), write(c.b.mail, 0, c.a.mail.seg(0, 8)),
		{Op: 200}, write(c.b.mail, 0, c.a.mail.seg(0, 8)),
	}
	for i := range wrs {
		wrs[i].ID = uint64(100 + i)
	}
	k, err := c.a.qp.PostSends(wrs)
	t.code("PostSends", err, hca.Invalid, hca.Unsupported)
	if k != 2 {
		t.Errorf("PostSends took %d, want 2", k)
	}
	c.a.sent(want{id: 100, op: hca.OpWrite, len: 8})
	c.a.sent(want{id: 101, op: hca.OpWrite, len: 8})
	c.settle(c.a) // nothing after the refused request was executed

	many := make([]hca.Segment, 100)
	recvs := []hca.RecvWR{{ID: 200}, {ID: 201, More: many}, {ID: 202}}
	k, err = c.b.qp.PostRecvs(recvs)
	t.code("PostRecvs", err, hca.Invalid)
	if k != 1 {
		t.Errorf("PostRecvs took %d, want 1", k)
	}
	c.b.idleBut(0, 1)
	c.a.do(send())
	c.b.got(want{id: 200, op: hca.OpRecv})
	c.expectAlive("after refused batches")
}

func batchFull(t *env) {
	c := t.pair(setup{send: 8, recv: 8, entries: 8}) // no room but for these
	var wrs []hca.SendWR
	var recvs []hca.RecvWR
	for i := range 20 {
		wr := write(c.b.mail, 0, c.a.mail.seg(0, 8))
		wr.ID = uint64(i)
		wrs = append(wrs, wr)
		recvs = append(recvs, hca.RecvWR{ID: uint64(i)})
	}
	k, err := c.a.qp.PostSends(wrs)
	t.code("PostSends", err, hca.QueueFull)
	if k != 8 {
		t.Errorf("PostSends took %d, want 8", k)
	}
	for i := range k {
		c.a.sent(want{id: uint64(i), op: hca.OpWrite, len: 8})
	}
	k, err = c.a.qp.PostSends(wrs[8:13])
	t.must("PostSends", err)
	for i := range k {
		c.a.sent(want{id: uint64(8 + i), op: hca.OpWrite, len: 8})
	}
	k, err = c.b.qp.PostRecvs(recvs)
	t.code("PostRecvs", err, hca.QueueFull)
	if k != 8 {
		t.Errorf("PostRecvs took %d, want 8", k)
	}
	c.b.idleBut(0, 8)
}

func batchEmpty(t *env) {
	c := t.pair()
	if k, err := c.a.qp.PostSends(nil); k != 0 || err != nil {
		t.Errorf("PostSends of nothing: %d, %v", k, err)
	}
	if k, err := c.a.qp.PostRecvs(nil); k != 0 || err != nil {
		t.Errorf("PostRecvs of nothing: %d, %v", k, err)
	}
	c.a.idle("nothing was posted")
	c.expectAlive("after nothing")
}

// batchSegments makes requests that are too long to be copied next to their headers, so
// that an adapter may pass on their segments in place, those of many requests at once.
func batchSegments(t *env) {
	const n, piece = 30, 200
	c := t.pair(setup{sge: 16})
	size := c.a.sge * piece
	src, dst := c.a.region(n*size, hca.LocalRead), c.b.region(n*size, c.b.all())
	for round := range 20 {
		fill(src.b, round)
		paint(dst.b, 0)
		var wrs []hca.SendWR
		for i := range n {
			var segs []hca.Segment
			for k := range c.a.sge {
				segs = append(segs, src.seg(i*size+k*piece, piece))
			}
			wr := write(dst, i*size, segs...)
			wr.ID = c.a.id()
			wrs = append(wrs, wr)
		}
		if k, err := c.a.qp.PostSends(wrs); k != n || err != nil {
			t.Fatalf("PostSends of %d: %d, %v", n, k, err)
		}
		for _, wr := range wrs {
			c.a.sent(want{id: wr.ID, op: wr.Op, len: uint64(size)})
		}
		c.settle(c.a)
		dst.holds("all of it", 0, n*size, round)
	}
}
