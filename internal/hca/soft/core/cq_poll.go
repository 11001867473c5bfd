package core

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/gate"
)

// wake notifies the consumer if it has armed. A consumer that is in Poll finds
// the entry there, and is not called in the middle of it.
func (c *CQ) wake() {
	if !c.armed.Load() || !c.armed.CompareAndSwap(true, false) {
		return
	}
	for {
		switch c.polling.Load() {
		case pollNone:
			c.notify()
			return
		case pollBusy:
			if c.polling.CompareAndSwap(pollBusy, pollAgain) {
				return
			}
		default:
			return
		}
	}
}

func (c *CQ) Poll(dst []hca.WC) int {
	if c.conns.Load() != nil { // they alone ask
		gate.StoreRelease(&c.PollCount, c.PollCount.Load()+1)
	}
	n := 0
	if !c.empty() {
		n = c.take(dst)
	}
	if n > 0 || len(dst) == 0 {
		return n
	}
	if c.fresh.Load() {
		// The look behind the arming, which has set progress going: the streams
		// tell what they have. To ask them here would cost a system call each.
		c.fresh.Store(false)
		return 0
	}
	if !c.armed.Load() { // nobody would be notified
		if c.progress(&dst[0]) {
			n = 1
			if c.empty() {
				return n
			}
		}
		return n + c.take(dst[n:])
	}
	c.polling.Store(pollBusy)
	c.progress(nil)
	for {
		n += c.take(dst[n:])
		if c.polling.CompareAndSwap(pollBusy, pollNone) {
			return n
		}
		c.polling.Store(pollBusy)
		c.armed.Store(true) // it was not used
	}
}

// Whether the consumer is in Poll, and whether something came meanwhile.
const (
	pollNone = iota
	pollBusy
	pollAgain
)

// Ready implements hca.Peeker.
func (c *CQ) Ready() bool {
	for r := c.headRing.Load(); r != nil; r = r.next.Load() {
		if r.head.Load() != r.tail.Load() {
			return true
		}
	}
	return false
}

// progress does work that is waiting, on the caller's goroutine. If to is not nil, the
// completion of a message may come there instead of into the queue, which it reports: it
// is then the only one so far.
func (c *CQ) progress(to *hca.WC) (one bool) {
	c.adapter.Engine.Help(&c.consumer)
	if p := c.conns.Load(); p != nil {
		// A few connections a call: with more, the engine helps anyway.
		list := *p
		if len(list) == 1 {
			return list[0].Poll(c, to)
		}
		for range min(len(list), 4) {
			c.nextCon++
			list[c.nextCon%len(list)].Poll(c, nil)
		}
	}
	return false
}

// Direct tells whether an entry that is made now may be handed to the consumer who polls
// instead of being put in: it would be the oldest, and the only one. The caller polls, and
// is inside the gate through which alone entries come.
func (c *CQ) Direct() bool { return !c.shared.Load() && c.empty() }

// empty tells whether there is nothing to take. The caller is the consumer.
func (c *CQ) empty() bool {
	r := c.headRing.Load()
	return r.head.Load() == r.tail.Load() && r.next.Load() == nil
}

func (c *CQ) Arm() error {
	if c.closed.Load() {
		return hca.NewError(hca.Closed, "arm", "completion queue", "the queue has been closed")
	}
	c.fresh.Store(true)
	c.armed.Store(true)
	if p := c.conns.Load(); p != nil {
		for _, tc := range *p {
			tc.Unpolled()
		}
	}
	return nil
}

// WillPoll tells whether the consumer polls, and looks at each connection.
func (c *CQ) WillPoll() bool { return c.PollCount.Load() > 0 && !c.armed.Load() && c.FewConns() }

// fewConns: with more connections of one queue not each is looked at often.
const fewConns = 4

// FewConns tells whether whoever polls the queue looks at each of its connections.
func (c *CQ) FewConns() bool {
	p := c.conns.Load()
	return p == nil || len(*p) <= fewConns
}

// Attended tells whether somebody polls for the requests, or, where nobody takes
// their entries, for the receives.
func (q *QP) Attended() bool {
	if q.SendCQ.PollCount.Load() > 0 {
		return !q.SendCQ.armed.Load()
	}
	return q.RecvCQ.PollCount.Load() > 0 && !q.RecvCQ.armed.Load()
}
