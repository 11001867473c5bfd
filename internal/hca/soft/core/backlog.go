package core

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

// A program takes completions one after the other from a channel, and answers each. The queue knows that more of
// them lie before the program: see hca.CQConfig.Backlog. Meanwhile requests may wait, so that the answers to a burst
// leave together, those of each connection with one system call. They are sent by the first post that finds no
// backlog, by the program's next look (hca.Pusher) or by the poll watch. A program
// that waits itself does not look: so a poll of a queue without a backlog sends them too, if it finds nothing.

// Behind reports that a queue of the queue pair has a backlog, so that its consumer will look again.
func (q *QP) Behind() bool {
	return !(q.RecvCQ.noBacklog() && q.SendCQ.noBacklog()) && q.behind() != nil
}

// behind returns a queue that has a backlog; nil if there is none.
func (q *QP) behind() *CQ {
	switch {
	case q.RecvCQ.backlog():
		return q.RecvCQ
	case q.SendCQ != q.RecvCQ && q.SendCQ.requestsBehind():
		return q.SendCQ
	}
	return nil
}

// NoteBehind notes g at both queues: one has a backlog and will be looked at again, and a consumer that looks at the
// other meanwhile, and finds nothing, perhaps waits for these requests. g is the queue pair's
// connection, and noted are its flags for the two queues: see CQ.NoteCoalesced. The result is false if g must not
// wait: there is no backlog any more, and perhaps nobody will look; or many posts wait, or the oldest has waited
// for long.
func (q *QP) NoteBehind(g Coalescer, noted *[2]atomic.Bool) bool {
	q.SendCQ.coalescing.Add(g, &noted[0])
	if q.RecvCQ != q.SendCQ {
		q.RecvCQ.coalescing.Add(g, &noted[1])
	}
	c := q.behind() // another goroutine may have taken the last completion, and looked before it was noted
	if c == nil {
		return false
	}
	c.adapter.Background.Watch(&c.coalescing)
	return !c.coalescing.behind.Full()
}

// PushOthers has both queues pushed when the gate is left: other connections may have requests waiting there.
func (q *QP) PushOthers(deferred *Deferred) {
	if q.RecvCQ.coalescing.Some() || q.SendCQ.coalescing.Some() {
		deferred.push, deferred.rare = q, true
	}
}

// backlog reports whether the program will look again soon: see hca.CQConfig. An armed queue may hold entries that
// nobody is notified of.
func (c *CQ) backlog() bool {
	return !c.noBacklog() && c.more(!c.FewConns() || c.arms.Load() > 0)
}

// requestsBehind is backlog for a queue that has completions of requests only. A program that never waits for these may
// take many of them together now and then, and look again much later.
func (c *CQ) requestsBehind() bool {
	waits := c.arms.Load() > 0
	return (waits || c.running.Load()) && c.more(waits)
}

func (c *CQ) more(together bool) bool {
	switch c.hasMore(together) {
	case hca.BacklogSome:
		return true
	case hca.BacklogDue:
		return c.armed.Load() != isArmed && !c.empty()
	}
	return false
}

// noBacklog reports what needs no call to know: no channel runs, and the consumer of few connections only ever polls:
// then it has a processor of its own, and its peer need not wait for the answers to a batch.
func (c *CQ) noBacklog() bool { return !c.running.Load() && c.FewConns() && c.arms.Load() == 0 }

func (q *QP) pushBoth() {
	for _, c := range [...]*CQ{q.RecvCQ, q.SendCQ} {
		if c.coalescing.Some() {
			c.sendCoalesced()
		}
	}
}
