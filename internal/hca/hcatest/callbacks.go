package hcatest

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

var callbackCases = []Case{
	{"callbacks", "the report of the end may post, disconnect and ask", workInEvent},
	{"callbacks", "Notify may poll, arm and post", postInNotify},
	{"callbacks", "nothing is called after Close has returned", silentAfterClose},
}

func workInEvent(t *env) {
	f := t.fixture(hca.Options{})
	for _, ender := range enders[:4] {
		done := make(chan struct{}, 2) // a request that is posted in the callback may complete before the callback returns
		hook := func(e *end, ev hca.ConnEvent) {
			if ev.Kind != hca.EventDisconnected && ev.Kind != hca.EventBroken {
				return
			}
			defer func() { done <- struct{}{} }()
			e.idle("inside the event")
			if err := e.qp.PostRecv(hca.RecvWR{ID: 71}); err != nil {
				t.Errorf("PostRecv inside the event: %v", err)
			}
			if err := e.qp.PostSend(hca.SendWR{Op: hca.OpSend, ID: 72}); err != nil {
				t.Errorf("PostSend inside the event: %v", err)
			}
			if err := e.qp.Disconnect(false); err != nil {
				t.Errorf("Disconnect inside the event: %v", err)
			}
			if err := e.sq.cq.Arm(); err != nil {
				t.Errorf("Arm inside the event: %v", err)
			}
		}
		c := f.pair(setup{hook: hook})
		ids := map[*end]uint64{c.a: c.a.receive(c.a.mail.seg(0, 8)), c.b: c.b.receive(c.b.mail.seg(0, 8))}
		t.must(ender.name, t.within(ender.name, func() error { ender.end(c); return nil }))
		for _, e := range c.ends() {
			e.ev.end(ender.name)
			e.flushed(ids[e], 71)
			e.sent(want{id: 72, op: hca.OpSend, status: hca.StatusFlushed})
		}
		for range c.ends() {
			<-done
		}
		c.close()
		c.a.idle(ender.name)
		c.b.idle(ender.name)
	}
}

// postInNotify plays ping-pong without any goroutine of its own: each side
// answers from inside Notify.
func postInNotify(t *env) {
	const rounds = 2000
	c := t.pair(setup{oneQueue: true})
	var n atomic.Int64
	done := make(chan struct{})
	for _, e := range c.ends() {
		e.receive()
		e.receive()
		answer := func() {
			for more := true; more; {
				wcs := e.sq.drain()
				if len(wcs) == 0 {
					if e.sq.cq.Arm() != nil {
						return
					}
					wcs = e.sq.drain() // look again
					more = len(wcs) > 0
				}
				for _, wc := range wcs {
					if !wc.Op.IsRecv() || n.Load() >= rounds {
						continue
					}
					if wc.Status != hca.StatusOK {
						t.Errorf("%s: %v: %v", e.name, wc.Op, wc.Status)
						return
					}
					if err := e.qp.PostRecv(hca.RecvWR{}); err != nil {
						t.Errorf("%s: PostRecv inside Notify: %v", e.name, err)
					}
					if n.Add(1) == rounds {
						close(done)
						return
					}
					if err := e.qp.PostSend(with(send(), hca.Suppress)); err != nil {
						t.Errorf("%s: PostSend inside Notify: %v", e.name, err)
					}
				}
			}
		}
		e.sq.hook.Store(&answer)
		t.must("Arm", e.sq.cq.Arm())
	}
	c.a.post(with(send(), hca.Suppress))
	await(t, "ping-pong inside Notify", done)
	c.close()
}

func silentAfterClose(t *env) {
	f := t.fixture(hca.Options{})
	for range 20 {
		c := f.pair()
		c.a.receive(c.a.mail.seg(0, 8))
		one, two := start(c.a.qp.Close), start(c.b.qp.Close)
		t.must("QP.Close", t.result("QP.Close", one))
		c.a.closed = true
		c.a.ev.close() // reports later events as errors
		t.must("QP.Close", t.result("QP.Close", two))
		c.b.closed = true
		c.b.ev.close()
	}
	c := f.pair()
	t.must("Arm", c.a.rq.cq.Arm())
	c.a.receive(c.a.mail.seg(0, 8))
	c.a.close()
	c.a.flushed(c.a.ids)
	rings := c.a.rq.rings.Load()
	f.b.close()
	f.a.close()
	if now := c.a.rq.rings.Load(); now > rings+1 {
		t.Errorf("Notify was called %d times after Close", now-rings)
	}
}
