package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var echoCases = []Case{
	{"entries", "carry number, owner, operation, length and flags of their request", echoSend},
	{"entries", "of several queue pairs on one queue are told apart", echoOwners},
	{"entries", "polled in batches are the same and in order", echoBatches},
}

func echoSend(t *env) {
	c := t.pair()
	local := c.a.region(256, hca.LocalRead|c.a.sink())
	far := c.b.region(256, c.b.all())
	recvFlags := []hca.Flags{0, hca.Private}
	for i := range 300 {
		f := hca.Flags(0)
		for _, bit := range []hca.Flags{hca.Solicited, hca.Fence, hca.Private} {
			if t.rng.IntN(2) == 0 {
				f |= bit
			}
		}
		n := t.rng.IntN(200) + 1
		wr := with([]hca.SendWR{
			send(local.seg(0, n)), write(far, 0, local.seg(0, n)), read(far, 0, local.seg(0, n)),
		}[i%3], f)
		wr.ID = t.rng.Uint64() | 1 // every bit of it comes back
		rid, rf := t.rng.Uint64(), recvFlags[t.rng.IntN(2)]
		if wr.Op == hca.OpSend {
			t.must("PostRecv", c.b.qp.PostRecv(hca.RecvWR{ID: rid, Flags: rf, Local: far.seg(0, 256)}))
		}
		c.a.do(wr)
		if wr.Op == hca.OpSend {
			c.b.got(want{id: rid, op: hca.OpRecv, len: uint64(n), flags: rf})
		}
	}
}

func echoOwners(t *env) {
	f := t.fixture(hca.Options{})
	c := f.pair(setup{oneQueue: true})
	both := []*conn{c, f.pair(setup{sq: c.a.sq, rq: c.a.sq}, setup{sq: c.b.sq, rq: c.b.sq})}
	for i := range 200 {
		x := both[t.rng.IntN(2)]
		rid := x.b.receive(x.b.mail.seg(0, 8))
		fill(x.a.mail.b[:8], i)
		x.a.do(send(x.a.mail.seg(0, 8))) // looks at the owner
		x.b.got(want{id: rid, op: hca.OpRecv, len: 8})
		x.b.mail.holds("message", 0, 8, i)
	}
}

func echoBatches(t *env) {
	c := t.pair()
	for n := 1; n <= 40; n += 3 {
		var ids []uint64
		for range n {
			ids = append(ids, c.a.post(write(c.b.mail, 0, c.a.mail.seg(0, 8))))
		}
		for len(ids) > 0 {
			first := c.a.sq.next("write")
			for _, wc := range append([]hca.WC{first}, c.a.sq.poll(1+t.rng.IntN(50))...) {
				if len(ids) == 0 {
					t.Fatalf("one entry too many: %+v", wc)
				}
				c.a.match(wc, want{id: ids[0], op: hca.OpWrite, len: 8})
				ids = ids[1:]
			}
		}
	}
	if n := c.a.sq.cq.Poll(nil); n != 0 {
		t.Errorf("Poll of nothing gave %d", n)
	}
}
