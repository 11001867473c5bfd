package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var closeCases = []Case{
	{"close", "of an unconnected queue pair flushes its receives", closeFresh},
	{"close", "with work under way gives it all back", closeBusy},
	{"close", "while draining gives it all back", closeDraining},
	{"close", "after the end changes nothing", closeOver},
	{"close", "stops every access to this side's memory", closeStops},
	{"close", "from several goroutines at once comes back to all", closeRace},
}

func closeFresh(t *env) {
	s := t.side("adapter", hca.Options{})
	e := s.end(setup{})
	e.close()
	e.ev.none("never connected")
	e = s.end(setup{})
	ids := []uint64{e.receive(e.mail.seg(0, 8)), e.receive(e.mail.seg(8, 8)), e.receive(e.mail.seg(16, 8))}
	e.close()
	e.idle("closed")
	e.flushed(ids...)
	e.rq.empty("closed")
	e.ev.none("never connected")
}

func closeBusy(t *env) {
	f := t.fixture(hca.Options{})
	for round := range 20 {
		c := f.pair()
		src, in := c.a.region(gracefulLen, hca.LocalRead), c.a.region(gracefulLen, c.a.sink())
		dst, source := c.b.region(gracefulLen, c.b.all()), c.b.region(gracefulLen, c.b.all())
		recv := c.a.receive(c.a.mail.seg(0, 8))
		var ids []uint64
		for i := range 20 {
			wr := write(dst, 0, src.seg(0, gracefulLen))
			if i%3 == 1 {
				wr = read(source, 0, in.seg(0, gracefulLen))
			}
			ids = append(ids, c.a.post(wr))
		}
		closer, other := c.a, c.b
		if round%2 == 1 {
			closer, other = c.b, c.a
		}
		closer.close()
		closer.idle("closed")
		other.ev.end("the peer closed")
		over := false
		for _, id := range ids {
			wc := c.a.sq.next("request")
			if wc.ID != id || over && wc.Status == hca.StatusOK {
				t.Errorf("number %d, %v, behind a failure: %v; want number %d", wc.ID, wc.Status, over, id)
			}
			over = over || wc.Status != hca.StatusOK
		}
		c.a.flushed(recv)
		c.close()
		c.a.sq.empty("closed")
	}
}

func closeDraining(t *env) {
	if t.h.NoReceiveWait {
		t.Logf("not checked: nothing keeps a request of this device waiting")
		return
	}
	c, ids, waits := draining(t)
	c.a.close()
	for _, id := range ids {
		statuses := []hca.Status{hca.StatusFlushed}
		if !waits {
			statuses = append(statuses, hca.StatusOK)
		}
		c.a.one("send", c.a.sq.next("send"), id, hca.OpSend, statuses)
	}
	c.a.sq.empty("closed")
	c.b.spare(4)
	c.b.ev.end("the peer closed")
}

func closeOver(t *env) {
	c := t.pair()
	c.must("Disconnect", c.b.qp.Disconnect(true))
	c.a.ev.disconnected("the peer left")
	c.b.ev.disconnected("graceful")
	late := c.a.receive(c.a.mail.seg(0, 8))
	c.close()
	c.a.flushed(late)
	c.a.rq.empty("closed")
}

func closeStops(t *env) {
	f := t.fixture(hca.Options{})
	for round := range 8 {
		c := f.pair()
		const n = 256 << 10
		src := c.a.region(n, hca.LocalRead)
		dst := c.b.region(n, c.b.all())
		paint(src.b, 0xEE)
		ended := c.a.streaming(func(int) hca.SendWR { return write(dst, 0, src.seg(0, n)) })
		for range round { // let it run for a while
			c.b.rq.empty("writes")
		}
		c.b.close()
		paint(dst.b, 0x11)
		c.a.stopped("QP.Close", ended)
		c.a.ev.end("the peer closed")
		dst.still("after Close", 0, n, 0x11)
		dst.guards("after Close")
		c.close()
	}
}

func closeRace(t *env) {
	f := t.fixture(hca.Options{})
	for range 10 {
		c := f.pair()
		ids := []uint64{c.a.receive(c.a.mail.seg(0, 8)), c.a.receive(c.a.mail.seg(8, 8))}
		var done []<-chan error
		for range 4 {
			done = append(done, start(c.a.qp.Close))
		}
		for _, d := range done {
			t.gone("QP.Close", t.result("QP.Close", d))
		}
		c.a.closed = true
		c.a.ev.close()
		c.a.flushed(ids...)
		c.a.rq.empty("closed")
		c.b.ev.end("the peer closed")
	}
}
