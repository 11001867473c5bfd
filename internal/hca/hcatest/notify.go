package hcatest

import (
	"time"

	"github.com/godapl/godapl/internal/hca"
)

var notifyCases = []Case{
	{"notify", "is called once per arming, and never without", notifyOnce},
	{"notify", "entries that were there make no call; looking again finds them", notifyLookAgain},
	{"notify", "no wake-up is lost in a ping-pong of parked sides", notifyPingPong},
	{"notify", "no wake-up is lost while others keep the queue pair busy", notifyBusy},
	{"notify", "no wake-up is lost to a consumer that polls the other queue and stops", notifyBeside},
	{"notify", "a closed connection wakes a consumer that waits for a receive", notifyFlush},
	{"notify", "a queue without a callback may be armed", notifyNone},
}

func notifyOnce(t *env) {
	c := t.pair()
	q := c.a.sq
	post := func() want {
		return want{id: c.a.post(write(c.b.mail, 0, c.a.mail.seg(0, 8))), op: hca.OpWrite, len: 8}
	}
	for range 100 {
		before := q.rings.Load()
		for range 3 { // not armed
			w := post()
			c.a.match(q.spin("entry"), w)
		}
		if n := q.rings.Load() - before; n != 0 {
			t.Fatalf("not armed, %d calls of Notify", n)
		}
		t.must("Arm", q.cq.Arm())
		wants := []want{post()}
		await(t, "Notify", q.bell)
		for range 3 { // armed once
			wants = append(wants, post())
		}
		for _, w := range wants {
			c.a.match(q.spin("entry"), w)
		}
		if n := q.rings.Load() - before; n != 1 {
			t.Fatalf("armed once, %d calls of Notify", n)
		}
	}
}

func notifyLookAgain(t *env) {
	c := t.pair()
	q := c.a.sq
	for range 100 {
		id := c.a.post(write(c.b.mail, 0, c.a.mail.seg(0, 8)))
		c.settleQuietly()
		before := q.rings.Load()
		t.must("Arm", q.cq.Arm())
		wcs := q.poll(1)
		if len(wcs) != 1 {
			t.Fatalf("an entry that was there before Arm is not found after it")
		}
		c.a.match(wcs[0], want{id: id, op: hca.OpWrite, len: 8})
		if n := q.rings.Load() - before; n != 0 {
			t.Errorf("an entry that was there has called Notify")
		}
		// The arming stays for the next entry.
		id = c.a.post(write(c.b.mail, 0, c.a.mail.seg(0, 8)))
		await(t, "Notify", q.bell)
		c.a.match(q.spin("entry"), want{id: id, op: hca.OpWrite, len: 8})
	}
}

func notifyPingPong(t *env) {
	c := t.pair()
	c.pingPong(5000, c.a.rq.wait, c.b.rq.wait)
}

// pingPong has messages go there and back; the sides wait with a and b. Each message is waited for.
func (c *conn) pingPong(rounds int, a, b func() (hca.WC, error)) {
	play := func(e *end, first bool, wait func() (hca.WC, error)) <-chan error {
		for i := range 2 {
			e.receive(e.mail.seg(8*i, 8))
		}
		return start(func() error {
			for i := range rounds {
				if first || i > 0 {
					if err := e.qp.PostSend(with(send(e.mail.seg(32, 8)), hca.Suppress)); err != nil {
						return err
					}
				}
				wc, err := wait()
				if err != nil {
					return err
				}
				if wc.Status != hca.StatusOK {
					return hca.Work
				}
				if err := e.qp.PostRecv(hca.RecvWR{Local: e.mail.seg(8, 8)}); err != nil {
					return err
				}
			}
			if !first {
				return e.qp.PostSend(with(send(e.mail.seg(32, 8)), hca.Suppress))
			}
			return nil
		})
	}
	there := play(c.b, false, b)
	here := play(c.a, true, a)
	c.must("dialer", c.patiently("dialer", here))
	c.must("listener", c.patiently("listener", there))
}

func notifyBusy(t *env) {
	const n = 2000
	if t.h.NoReceiveWait {
		t.Logf("not checked: this device breaks a connection whose message comes before its receive")
		return
	}
	c := t.pair()
	far, local := c.b.region(4096, c.b.all()), c.a.region(4096, hca.LocalRead)
	for range 8 {
		c.b.receive(c.b.mail.seg(0, 8))
	}
	got := start(func() error {
		for range n {
			wc, err := c.b.rq.wait()
			if err != nil {
				return err
			}
			if wc.Status != hca.StatusOK {
				return hca.Work
			}
			if err := c.b.qp.PostRecv(hca.RecvWR{Local: c.b.mail.seg(0, 8)}); err != nil {
				return err
			}
		}
		return nil
	})
	for i := range n {
		c.a.push(with(write(far, 0, local.seg(0, 4096)), hca.Suppress))
		c.a.push(with(send(local.seg(0, 8)), hca.Suppress))
		if i%16 == 0 {
			c.settle(c.a)
		}
	}
	t.must("receiver", t.patiently("receiver", got))
}

// notifyBeside: one goroutine sleeps for its sends. Meanwhile another one polls the
// other queue of the connection a few times, and does not sleep.
func notifyBeside(t *env) {
	const rounds = 2000
	c := t.pair()
	looks := make(chan int)
	done := start(func() error {
		for n := range looks {
			for range n {
				c.a.rq.poll(1)
			}
		}
		return nil
	})
	for range rounds {
		recv := c.b.receive(c.b.mail.seg(0, 8))
		looks <- t.rng.IntN(64)
		id := c.a.post(send(c.a.mail.seg(0, 8)))
		c.a.sent(want{id: id, op: hca.OpSend, len: 8})
		c.b.got(want{id: recv, op: hca.OpRecv, len: 8})
	}
	close(looks)
	t.must("looks", t.result("looks", done))
}

// patiently waits for a goroutine whose own waits are bounded.
func (t *env) patiently(what string, done <-chan error) error {
	t.Helper()
	err := <-done
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	return err
}

func notifyFlush(t *env) {
	f := t.fixture(hca.Options{})
	for i := range 50 {
		c := f.pair()
		id := c.b.receive(c.b.mail.seg(0, 8))
		t.must("Arm", c.b.rq.cq.Arm())
		c.b.rq.empty("nothing was sent")
		t.must("Disconnect", c.a.qp.Disconnect(i%2 == 0))
		await(t, "Notify of a flushed receive", c.b.rq.bell)
		c.b.flushed(id)
		c.close()
	}
}

func notifyNone(t *env) {
	f := t.fixture(hca.Options{})
	cq, err := f.a.ad.NewCQ(hca.CQConfig{Depth: 16})
	t.must("NewCQ", err)
	q := &queue{env: t, name: f.a.name, cq: cq, bell: make(chan struct{})}
	c := f.pair(setup{sq: q, rq: q}, setup{})
	t.must("Arm", cq.Arm())
	id := c.a.post(write(c.b.mail, 0, c.a.mail.seg(0, 8)))
	c.a.match(q.spin("entry"), want{id: id, op: hca.OpWrite, len: 8})
}

// done waits, without polling, until nothing is outstanding.
func (e *end) done() {
	e.Helper()
	var turn turns
	for end := time.Now().Add(e.h.patience()); ; turn.next() {
		n, _ := e.qp.Outstanding()
		if n == 0 {
			return
		}
		if time.Now().After(end) {
			e.Fatalf("%s: %d requests outstanding after %v", e.name, n, e.h.patience())
		}
	}
}
