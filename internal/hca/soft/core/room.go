package core

import (
	"runtime"
	"time"

	"github.com/godapl/godapl/internal/hca/soft/gate"
)

// CountBehind is gate.Send.CountIn for a full queue: the requests that are in progress, and those that are
// complete but not taken, are as many as its depth. A complete request occupies no slot of the queue, but an
// entry of the completion queue, which must have room for it.
func (q *QP) CountBehind() (counted, inside bool) {
	if q.countMore(1) == 0 {
		return false, false
	}
	return true, q.Tx.TryEnter()
}

// countMore counts n posts, or as many as there is room for. The caller is inside no gate.
func (q *QP) countMore(n int) int {
	fit := q.countLent(n)
	for fit < n {
		q.reclaimSlots()
		k := q.countLent(n - fit)
		if k == 0 {
			break
		}
		fit += k
	}
	return fit
}

// countLent counts as many of n posts as the depth and the completion queue's loan allow.
func (q *QP) countLent(n int) (fit int) {
	g := &q.Tx
	for fit < n {
		made, back := g.Made.Load(), g.Back.N.Load()
		limit := q.share.Limit()
		w := g.Word.Load()
		free := int(q.SendDepth) - gate.Between(made, w)
		lent := limit - gate.Between(back, w)
		switch {
		case free <= 0:
			if g.Made.Load() == made {
				return fit
			}
			continue
		case lent <= 0:
			if g.Back.N.Load() == back && !q.share.Borrow(limit) {
				return fit
			}
			continue
		}
		k := min(n-fit, free, lent)
		if !g.Word.CompareAndSwap(w, w+uint64(k)*gate.CountOne) {
			continue
		}
		if now := q.share.Limit(); now < limit && g.Used() > now {
			g.Uncount(k) // the completion queue has taken its loan back meanwhile
			continue
		}
		fit += k
	}
	return fit
}

// reclaimSlots completes requests that are done but not complete yet: those that wait to be sent together, and
// those that a peer in another process has handled without waking this side. Then it waits for the goroutine
// inside tx, whose requests may have arrived at the peer already. The caller is inside no gate.
func (q *QP) reclaimSlots() {
	if t := q.Transport(); t != nil {
		t.MakeRoom()
		q.awaitSender()
	}
}

// senderWait bounds how long a post waits for the goroutine inside tx. The bound is the time in which a busy
// machine gives a goroutine's thread its processor back, not the time of a stay: with 20 µs and a busy loop per
// processor, TestBusyServer of package rdma finds a queue full after some thousand requests.
const senderWait = 100 * time.Millisecond

// awaitSender waits until the goroutine inside tx, if there is one, has left. That goroutine may have lost its
// processor between sending a request and completing it. Without the wait, a queue of depth 1 would be full
// when the next request of that peer is answered. A stay is brief: see gate.Send.Lock.
func (q *QP) awaitSender() {
	stay, held := gate.Watch(&q.Tx.Word)
	if !held {
		return
	}
	var begin time.Time
	for i := 1; !stay.Over(); i++ {
		if i%64 == 0 {
			if begin.IsZero() {
				begin = time.Now()
			} else if time.Since(begin) > senderWait {
				return
			}
		}
		runtime.Gosched()
	}
}
