package hcatest

import (
	"runtime"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

var receiverCases = []Case{
	{"receiver not ready", "a receive posted in time takes the message", receiveLate},
	{"receiver not ready", "what waits keeps its order and holds up what follows", receiveLateOrder},
	{"receiver not ready", "without a receive the connection breaks after the wait", receiveNever(50 * time.Millisecond)},
	{"receiver not ready", "without a wait it breaks at once", receiveNever(-1)},
	{"receiver not ready", "a write needs no receive, one with immediate data does", receiveImm},
}

func receiveLate(t *env) {
	if t.h.NoReceiveWait {
		t.Logf("not checked: this device breaks the connection instead")
		return
	}
	c := t.pair()
	for round := range 40 {
		n := []int{0, 8, 64, 4096, 60000}[round%5]
		src, dst := c.a.region(max(n, 1), hca.LocalRead), c.b.region(max(n, 1), hca.LocalWrite)
		fill(src.b[:n], round)
		sent := c.a.post(send(src.seg(0, n)))
		for range round * 5 { // sometimes the message arrives before, sometimes after
			c.b.rq.empty("no receive yet")
			runtime.Gosched()
		}
		id := c.b.receive(dst.seg(0, n))
		c.b.got(want{id: id, op: hca.OpRecv, len: uint64(n)})
		c.a.sent(want{id: sent, op: hca.OpSend, len: uint64(n)})
		dst.holds("message", 0, n, round)
	}
}

func receiveLateOrder(t *env) {
	if t.h.NoReceiveWait {
		t.Logf("not checked: this device breaks the connection instead")
		return
	}
	c := t.pair()
	local, far := c.a.region(64, hca.LocalRead), c.b.region(64, c.b.all())
	for round := range 20 {
		fill(local.b, round)
		paint(far.b, 0)
		one := c.a.post(send(local.seg(0, 8)))
		two := c.a.post(write(far, 8, local.seg(8, 8)))
		three := c.a.post(send(local.seg(16, 8)))
		for range 20 {
			c.b.rq.empty("no receive yet")
		}
		far.still("a write behind a message that waits", 8, 8, 0)
		first, third := c.b.receive(far.seg(0, 8)), c.b.receive(far.seg(16, 8))
		c.b.got(want{id: first, op: hca.OpRecv, len: 8})
		c.b.got(want{id: third, op: hca.OpRecv, len: 8})
		far.holds("all of it", 0, 24, round)
		c.a.sent(want{id: one, op: hca.OpSend, len: 8})
		c.a.sent(want{id: two, op: hca.OpWrite, len: 8})
		c.a.sent(want{id: three, op: hca.OpSend, len: 8})
	}
}

// receiveNever posts no receive; the adapters wait for d.
func receiveNever(d time.Duration) func(t *env) {
	return func(t *env) {
		f := t.fixture(hca.Options{ReceiveWait: d})
		for range 3 {
			c := f.pair()
			kept := c.a.receive(c.a.mail.seg(0, 8))
			var ids []uint64
			for range 3 {
				ids = append(ids, c.a.post(send(c.a.mail.seg(0, 8))))
			}
			for i, id := range ids {
				wc := c.a.sq.next("send")
				switch {
				case !c.a.info.Acked:
					c.a.one("send", wc, id, hca.OpSend, []hca.Status{hca.StatusOK, hca.StatusFlushed})
				case i == 0:
					c.a.match(wc, want{id: id, op: hca.OpSend, status: hca.StatusReceiverNotReady})
				default:
					c.a.match(wc, want{id: id, op: hca.OpSend, status: hca.StatusFlushed})
				}
			}
			c.cause("no receive", c.a.ev.broken("no receive"))
			if c.a.info.Acked {
				c.b.ev.end("no receive") // it did not take part in giving up
			} else {
				c.cause("no receive", c.b.ev.broken("no receive"))
			}
			c.a.flushed(kept)
			c.close()
			c.b.rq.empty("no receive")
		}
		// The wait is for missing receives only.
		c := f.pair()
		c.expectAlive("with a receive")
	}
}

func receiveImm(t *env) {
	if t.h.NoReceiveWait {
		t.Logf("not checked: this device breaks the connection instead")
		return
	}
	c := t.pair()
	c.a.do(write(c.b.mail, 0, c.a.mail.seg(0, 8)))
	c.settle(c.a)
	if !c.a.has(hca.CapWriteImm) {
		return // its refusal is checked under attributes
	}
	for range 10 {
		wr := remote(hca.OpWriteImm, c.b.mail, 0, c.a.mail.seg(0, 8))
		sent := c.a.post(wr)
		for range 10 {
			c.b.rq.empty("no receive yet")
		}
		id := c.b.receive()
		wc := c.b.rq.next("immediate data")
		c.b.match(wc, want{id: id, op: hca.OpRecvWriteImm, len: wc.Len})
		c.a.sent(want{id: sent, op: hca.OpWriteImm, len: 8})
	}
}
