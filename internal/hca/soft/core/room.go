package core

import "github.com/godapl/godapl/internal/hca/soft/gate"

// CountBehind is gate.Send.CountIn for a queue that has as many requests under way, or complete and not taken,
// as it is deep. A complete request takes no slot of the queue, but an entry of the completion queue, which
// must have room for it.
func (q *QP) CountBehind() (counted, inside bool) {
	if q.countMore(1, false) == 0 {
		return false, false
	}
	return true, q.Tx.TryEnter()
}

// countMore counts n posts, or as many as there is room for. inside reports that the caller is inside tx.
func (q *QP) countMore(n int, inside bool) int {
	fit := q.CountLent(n)
	for fit < n && !inside && q.lookForRoom() {
		k := q.CountLent(n - fit)
		if k == 0 {
			break
		}
		fit += k
	}
	return fit
}

// CountLent counts as many of n posts as the depth and the completion queue's loan allow.
func (q *QP) CountLent(n int) (fit int) {
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

// lookForRoom reads what a peer in another process has handled without waking this side. It reports whether
// that may have made room.
func (q *QP) lookForRoom() bool {
	t := q.Transport()
	return t != nil && t.MakeRoom()
}
