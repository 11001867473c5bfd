package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

// draining makes a pair whose dialer drains: it has sends for which the listener has no
// receives. It reports whether they are still under way.
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
