package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var depthCases = []Case{
	{"queue depth", "a send queue takes what was asked for, then is full until polled", sendDepth},
	{"queue depth", "a receive queue takes what was asked for, then is full until polled", recvDepth},
	{"queue depth", "a full queue breaks nothing", fullHarmless},
}

// sendDepth uses a completion queue that has just the room of the send queue.
func sendDepth(t *env) {
	const depth = 16
	c := t.pair(setup{send: depth, recv: depth, entries: depth})
	wr := write(c.b.mail, 0, c.a.mail.seg(0, 8))
	var ids []uint64
	post := func(n int) { // n more fit, and not one more
		for range n {
			ids = append(ids, c.a.post(wr))
		}
		wr := wr
		wr.ID = 999
		t.code("PostSend to a full queue", c.a.qp.PostSend(wr), hca.QueueFull)
	}
	post(depth)
	for _, k := range []int{1, 5, depth, 3} {
		for range k {
			c.a.sent(want{id: ids[0], op: hca.OpWrite, len: 8})
			ids = ids[1:]
		}
		post(k)
	}
	for _, id := range ids {
		c.a.sent(want{id: id, op: hca.OpWrite, len: 8})
	}
	c.a.sq.empty("refused posts")
	c.a.idle("all done")
}

func recvDepth(t *env) {
	const depth = 16
	f := t.fixture(hca.Options{})
	c := &conn{fixture: f, a: f.a.end(setup{}), b: f.b.end(setup{recv: depth})}
	var ids []uint64
	post := func(n int) {
		for range n {
			ids = append(ids, c.b.receive(c.b.mail.seg(0, 8)))
		}
		t.code("PostRecv to a full queue", c.b.qp.PostRecv(hca.RecvWR{ID: 999}), hca.QueueFull)
	}
	post(depth) // before there is a connection
	f.connect(c.a, c.b)
	for _, k := range []int{1, 5, depth, 3} {
		for range k {
			c.a.do(send(c.a.mail.seg(0, 8)))
		}
		// Used receives hold their slots until they are polled.
		t.code("PostRecv before polling", c.b.qp.PostRecv(hca.RecvWR{ID: 999}), hca.QueueFull)
		for range k {
			c.b.got(want{id: ids[0], op: hca.OpRecv, len: 8})
			ids = ids[1:]
		}
		post(k)
	}
	t.must("Disconnect", c.a.qp.Disconnect(true))
	c.b.flushed(ids...)
	c.b.rq.empty("refused posts")
}

func fullHarmless(t *env) {
	c := t.pair(setup{send: 4, recv: 4, entries: 4})
	for range 50 {
		for full := false; !full; {
			wr := write(c.b.mail, 0, c.a.mail.seg(0, 8))
			wr.ID = c.a.id()
			if err := c.a.qp.PostSend(wr); err != nil {
				t.code("PostSend", err, hca.QueueFull)
				full = true
			}
		}
		for range 4 {
			if wc := c.a.sq.next("write"); wc.Status != hca.StatusOK {
				t.Fatalf("write: %v", wc.Status)
			}
		}
	}
	c.a.sq.empty("refused posts")
	c.expectAlive("after full queues")
}
