package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var gracefulCases = []Case{
	{"graceful disconnect", "drives what was posted to completion", gracefulDrains},
	{"graceful disconnect", "by the receiver of a stream loses no entry", gracefulReceiver},
	{"graceful disconnect", "refuses new requests while it drains", gracefulRefuses},
	{"graceful disconnect", "is cut short by an abrupt one", gracefulThenAbrupt},
	{"graceful disconnect", "takes messages of the peer while it drains", gracefulReceives},
}

const gracefulLen = 64 << 10

func gracefulDrains(t *env) {
	f := t.fixture(hca.Options{})
	for round := range 5 {
		c := f.pair()
		src := c.a.region(gracefulLen, hca.LocalRead|c.a.sink())
		dst := c.b.region(16*gracefulLen, c.b.all())
		back := c.a.region(gracefulLen, c.a.sink())
		fill(src.b, round)
		var recvs []uint64
		receive := func(n int) {
			for range n {
				recvs = append(recvs, c.b.receive(dst.seg(len(recvs)*gracefulLen, gracefulLen)))
			}
		}
		late := round % 2 * 4 // some of the messages still wait for their receives
		if t.h.NoReceiveWait {
			late = 0
		}
		receive(8 - late)
		var ids []uint64
		for i := range 8 {
			ids = append(ids, c.a.post(write(dst, (8+i)*gracefulLen, src.seg(0, gracefulLen))))
			ids = append(ids, c.a.post(send(src.seg(0, gracefulLen))))
		}
		ids = append(ids, c.a.post(read(dst, 8*gracefulLen, back.seg(0, gracefulLen))))
		t.must("Disconnect", c.a.qp.Disconnect(true))
		receive(late)
		for i, id := range ids {
			op := hca.OpWrite
			if i%2 == 1 {
				op = hca.OpSend
			}
			if i == 16 {
				op = hca.OpRead
			}
			c.a.sent(want{id: id, op: op, len: gracefulLen})
		}
		for _, id := range recvs {
			c.b.got(want{id: id, op: hca.OpRecv, len: gracefulLen})
		}
		c.a.ev.disconnected("graceful")
		c.b.ev.disconnected("graceful by the peer")
		for i := range 16 {
			dst.holds("arrived", i*gracefulLen, gracefulLen, round)
		}
		back.holds("read", 0, gracefulLen, round)
		c.close()
	}
}

func gracefulReceiver(t *env) {
	f := t.fixture(hca.Options{})
	for range 5 {
		c := f.pair()
		src := c.a.region(gracefulLen, hca.LocalRead)
		dst := c.b.region(gracefulLen, c.b.all())
		var ids []uint64
		for i := range 32 {
			ids = append(ids, c.a.post(write(dst, 0, src.seg(0, gracefulLen))))
			if i == 16 {
				t.must("Disconnect", c.b.qp.Disconnect(true))
			}
		}
		over := false
		for _, id := range ids {
			wc := c.a.sq.next("write")
			if wc.ID != id || over && wc.Status == hca.StatusOK {
				t.Errorf("number %d, %v, after an end: %v; want number %d", wc.ID, wc.Status, over, id)
			}
			over = over || wc.Status != hca.StatusOK
		}
		c.a.ev.end("the peer left")
		c.b.ev.end("graceful")
		c.close()
		dst.guards("the peer left")
	}
}

// draining makes a pair whose dialer drains: it has sends that the listener
// has no receives for. It tells whether they are still under way.
func draining(t *env) (*conn, []uint64, bool) {
	c := t.pair()
	var ids []uint64
	for range 3 {
		ids = append(ids, c.a.post(send(c.a.mail.seg(0, 8))))
	}
	t.must("Disconnect", c.a.qp.Disconnect(true))
	// Without acknowledgement the sends may be complete already.
	return c, ids, c.a.info.Acked
}

func gracefulRefuses(t *env) {
	if t.h.NoReceiveWait {
		t.Logf("not checked: nothing keeps a request of this device waiting")
		return
	}
	c, ids, waits := draining(t)
	wr := write(c.b.mail, 0, c.a.mail.seg(0, 8))
	wr.ID = c.a.id()
	err := c.a.qp.PostSend(wr)
	if waits || err != nil {
		t.code("PostSend while draining", err, hca.State)
	}
	for range ids {
		c.b.receive(c.b.mail.seg(8, 8))
	}
	for _, id := range ids {
		c.a.sent(want{id: id, op: hca.OpSend, len: 8})
	}
	if err == nil { // it was over by then
		c.a.sent(want{id: wr.ID, op: hca.OpWrite, status: hca.StatusFlushed})
	}
	for range ids {
		if wc := c.b.rq.next("message"); wc.Status != hca.StatusOK {
			t.Errorf("message: %v", wc.Status)
		}
	}
	c.a.ev.disconnected("graceful")
	c.b.ev.disconnected("graceful by the peer")
}

func gracefulThenAbrupt(t *env) {
	if t.h.NoReceiveWait {
		t.Logf("not checked: nothing keeps a request of this device waiting")
		return
	}
	c, ids, waits := draining(t)
	t.must("Disconnect", c.a.qp.Disconnect(false))
	for _, id := range ids {
		statuses := []hca.Status{hca.StatusFlushed}
		if !waits {
			statuses = append(statuses, hca.StatusOK)
		}
		c.a.one("send", c.a.sq.next("send"), id, hca.OpSend, statuses)
	}
	c.a.ev.disconnected("abrupt")
	c.b.spare(4)
	c.b.ev.end("abrupt by the peer")
	c.close()
	c.a.sq.empty("abrupt")
}

func gracefulReceives(t *env) {
	if t.h.NoReceiveWait {
		t.Logf("not checked: nothing keeps a request of this device waiting")
		return
	}
	c := t.pair()
	if !c.a.info.Acked {
		t.Logf("not checked: sends of this connection do not wait for the peer")
		return
	}
	id := c.a.receive(c.a.mail.seg(8, 8))
	stuck := c.a.post(send(c.a.mail.seg(0, 8)))
	t.must("Disconnect", c.a.qp.Disconnect(true))
	fill(c.b.mail.b, 9)
	c.b.do(send(c.b.mail.seg(0, 8)))
	c.a.got(want{id: id, op: hca.OpRecv, len: 8})
	c.a.mail.holds("message", 8, 8, 9)
	kept := c.a.receive(c.a.mail.seg(16, 8))
	c.b.receive(c.b.mail.seg(8, 8))
	c.a.sent(want{id: stuck, op: hca.OpSend, len: 8})
	c.a.flushed(kept)
	c.a.ev.disconnected("graceful")
	c.b.ev.disconnected("graceful by the peer")
}
