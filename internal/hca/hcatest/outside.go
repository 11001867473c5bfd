package hcatest

import (
	"fmt"
	"os"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

var outsideCases = []Case{
	{"outside", "no wake-up of a thread that watches descriptors is lost", outsidePingPong},
	{"outside", "nor of a consumer that waits for Notify beside the thread", outsideBeside},
	{"outside", "a thread that has stopped watching keeps nobody asleep", outsideStopped},
}

// thread waits for a queue as a thread outside of Go does, in poll(2).
type thread struct {
	*queue
	armer hca.DescriptorArmer
	kick  [2]*os.File
}

// thread returns the thread of a queue; nil if threads cannot wait for it.
func (q *queue) thread() *thread {
	armer, ok := q.cq.(hca.DescriptorArmer)
	if !ok || !canPoll {
		q.Logf("not checked: a thread outside of Go does not wait for this queue by itself")
		return nil
	}
	th := &thread{queue: q, armer: armer}
	var err error
	th.kick[0], th.kick[1], err = os.Pipe()
	q.must("a pipe", err)
	kick := func() { _, _ = th.kick[1].Write([]byte{0}) }
	q.hook.Store(&kick)
	q.Cleanup(func() {
		q.hook.Store(nil)
		_, _ = th.kick[0].Close(), th.kick[1].Close()
	})
	return th
}

// wait takes the next entry.
func (th *thread) wait() (wc hca.WC, err error) {
	end := time.Now().Add(th.h.patience())
	var fds []int32
	defer th.armer.DisarmDescriptors(false)
	for {
		if wcs := th.poll(1); len(wcs) > 0 {
			return wcs[0], nil
		}
		if fds, err = th.armer.ArmDescriptors(fds[:0]); err != nil {
			return wc, fmt.Errorf("arm: %w", err)
		}
		if wcs := th.poll(1); len(wcs) > 0 {
			return wcs[0], nil
		}
		kicked, over := pollDescriptors(append(fds, int32(th.kick[0].Fd())), time.Until(end))
		if over {
			return wc, fmt.Errorf("no entry after %v, and %d that nothing told of", th.h.patience(), len(th.poll(1)))
		}
		if kicked {
			_, _ = th.kick[0].Read(make([]byte, 16))
		}
	}
}

const outsideRounds = 1000

func outsidePingPong(t *env) {
	c := t.pair()
	a, b := c.a.rq.thread(), c.b.rq.thread()
	if a != nil && b != nil {
		c.pingPong(outsideRounds, a.wait, b.wait)
	}
}

func outsideBeside(t *env) {
	c := t.pair()
	if a := c.a.rq.thread(); a != nil {
		c.pingPong(outsideRounds, a.wait, c.b.rq.wait)
	}
}

// outsideStopped: what comes while the thread could watch, and does not, is noticed when it has stopped, and so is what
// comes later. What a writes may lie at b after the write has completed at a, so b sends from another place.
func outsideStopped(t *env) {
	c := t.pair()
	th := c.a.rq.thread()
	if th == nil {
		return
	}
	for range 100 {
		_, err := th.armer.ArmDescriptors(nil)
		t.must("ArmDescriptors", err)
		written := c.a.post(write(c.b.mail, 8, c.a.mail.seg(8, 8)))
		th.armer.DisarmDescriptors(false)
		c.a.sent(want{id: written, op: hca.OpWrite, len: 8})
		id := c.a.receive(c.a.mail.seg(0, 8))
		sent := c.b.post(send(c.b.mail.seg(0, 8)))
		c.a.got(want{id: id, op: hca.OpRecv, len: 8})
		c.b.sent(want{id: sent, op: hca.OpSend, len: 8})
	}
}
