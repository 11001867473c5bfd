package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var posterCases = []Case{
	{"poster", "posts as the queue pair does, in one order with it", posterOrder},
	{"poster", "fills the same queue and refuses the same requests", posterRefuses},
	{"poster", "after the end accepts posts, which are flushed in order", posterOver},
}

// poster is the connection's own poster; nil if it has none.
func (e *end) poster() hca.Poster {
	if e.info.Poster == nil {
		e.Logf("not checked: this connection has no poster of its own")
	}
	return e.info.Poster
}

// ways are the calls that take a plain send or write: those of the poster, and last that of the queue pair.
func (e *end) ways(p hca.Poster) []func(hca.SendWR) error {
	return []func(hca.SendWR) error{
		p.PostSend,
		func(wr hca.SendWR) error {
			if wr.Op == hca.OpWrite {
				return p.PostPlainWrite(wr.ID, wr.Flags, wr.Local, wr.Remote, wr.RKey)
			}
			return p.PostPlainSend(wr.ID, wr.Flags, wr.Local)
		},
		func(wr hca.SendWR) error {
			n, err := p.PostSends([]hca.SendWR{wr})
			if (n == 1) != (err == nil) {
				e.Errorf("%s: PostSends of one took %d, %v", e.name, n, err)
			}
			return err
		},
		e.qp.PostSend,
	}
}

func posterOrder(t *env) {
	const n = 48
	c := t.pair()
	p := c.a.poster()
	if p == nil {
		return
	}
	src, dst := c.a.region(64*n, hca.LocalRead), c.b.region(64*n, c.b.all())
	flags := []hca.Flags{0, hca.Quiet, hca.Suppress, hca.Private, hca.Fence}
	ways := c.a.ways(p)
	for round := range 50 {
		fill(src.b, round)
		paint(dst.b, 0)
		var sends, recvs []want
		for i := range n {
			size := []int{8, 64, 1, 33}[t.rng.IntN(4)]
			wr := write(dst, 64*i, src.seg(64*i, 64))
			if i%3 == 0 {
				wr = send(src.seg(64*i, size))
				recvs = append(recvs, want{id: c.b.receive(dst.seg(64*i, size)), op: hca.OpRecv, len: uint64(size)})
			}
			wr.ID, wr.Flags = c.a.id(), flags[t.rng.IntN(len(flags))]
			t.must("post", ways[t.rng.IntN(len(ways))](wr))
			if wr.Flags&hca.Suppress == 0 {
				sends = append(sends, want{id: wr.ID, op: wr.Op, len: length(wr), flags: wr.Flags})
			}
		}
		for _, w := range sends {
			c.a.match(c.a.sq.spin("request"), w)
		}
		for _, w := range recvs {
			c.b.got(w)
		}
		c.settle(c.a)
		for i := range n {
			size := 64
			if i%3 == 0 {
				size = int(recvs[i/3].len)
			}
			if string(dst.b[64*i:64*i+size]) != string(src.b[64*i:64*i+size]) {
				t.Errorf("round %d: request %d brought other bytes", round, i)
			}
		}
	}
}

func posterRefuses(t *env) {
	c := t.pair(setup{send: 8, entries: 8}) // no room but for these
	p := c.a.poster()
	if p == nil {
		return
	}
	ways := c.a.ways(p)
	for _, wr := range []hca.SendWR{{Op: 200}, {Op: hca.OpSend, More: make([]hca.Segment, 100)}} {
		t.code("PostSend", p.PostSend(wr), hca.Invalid, hca.Unsupported)
		n, err := p.PostSends([]hca.SendWR{wr, wr})
		t.code("PostSends", err, hca.Invalid, hca.Unsupported)
		if n != 0 {
			t.Errorf("PostSends took %d, want none", n)
		}
	}
	c.a.idle("refused")
	for first := range ways { // each way uses the room that the others leave
		var ids []uint64
		for i := range 8 {
			wr := write(c.b.mail, 0, c.a.mail.seg(0, 8))
			wr.ID = c.a.id()
			ids = append(ids, wr.ID)
			t.must("post", ways[(first+i)%len(ways)](wr))
		}
		for _, way := range ways {
			t.code("post to a full queue", way(write(c.b.mail, 0, c.a.mail.seg(0, 8))), hca.QueueFull)
		}
		for _, id := range ids {
			c.a.sent(want{id: id, op: hca.OpWrite, len: 8})
		}
	}
	c.expectAlive("after refused requests")
}

func posterOver(t *env) {
	f := t.fixture(hca.Options{})
	for _, ender := range []int{0, 2, 6} { // graceful, abrupt, broken
		c := f.pair()
		p := c.a.poster()
		if p == nil {
			return
		}
		enders[ender].end(c)
		c.a.ev.end(enders[ender].name)
		c.a.sq.drain() // of the request that broke it
		var wants []want
		for i := range 12 {
			wr := write(c.b.mail, 0, c.a.mail.seg(0, 8))
			if i%3 == 0 {
				wr = send(c.a.mail.seg(0, 8))
			}
			wr.ID, wr.Flags = c.a.id(), []hca.Flags{0, hca.Suppress}[i/4%2]
			ways := c.a.ways(p)
			t.must("post behind the end", ways[i%len(ways)](wr))
			wants = append(wants, want{id: wr.ID, op: wr.Op, flags: wr.Flags, status: hca.StatusFlushed})
		}
		for _, w := range wants {
			c.a.sent(w)
		}
		c.a.idle("over")
		c.close()
		c.a.sq.empty("closed")
	}
}
