package soft

// countBehind is gate.countIn for a queue that has as many requests under way or
// complete and not taken as it is deep. What is complete takes no slot, but it lies in
// the completion queue, where there must be room for it.
func (q *qp) countBehind() (counted, inside bool) {
	if q.countMore(1, false) == 0 {
		return false, false
	}
	return true, q.tx.tryEnter()
}

// countMore counts n posts, or as many as there is room for. inside tells that the
// caller is inside tx.
func (q *qp) countMore(n int, inside bool) int {
	fit := q.countLent(n)
	for fit < n && !inside && q.lookForRoom() {
		k := q.countLent(n - fit)
		if k == 0 {
			break
		}
		fit += k
	}
	return fit
}

// countLent counts as many of n posts as the depth allows, and what the completion
// queue lends.
func (q *qp) countLent(n int) (fit int) {
	g := &q.tx
	for fit < n {
		made, back := g.made.Load(), g.back.n.Load()
		limit := q.share.Limit()
		w := g.word.Load()
		free := int(q.sendDepth) - between(made, w)
		lent := limit - between(back, w)
		switch {
		case free <= 0:
			if g.made.Load() == made {
				return fit
			}
			continue
		case lent <= 0:
			if g.back.n.Load() == back && !q.share.Borrow(limit) {
				return fit
			}
			continue
		}
		k := min(n-fit, free, lent)
		if !g.word.CompareAndSwap(w, w+uint64(k)*countOne) {
			continue
		}
		if now := q.share.Limit(); now < limit && g.used() > now {
			g.uncount(k) // the queue has taken back meanwhile what it had lent
			continue
		}
		fit += k
	}
	return fit
}

// lookForRoom takes what a peer in another process has handled without a word. It
// reports whether that can have made room.
func (q *qp) lookForRoom() bool {
	t := q.transport()
	return t != nil && t.makeRoom()
}
