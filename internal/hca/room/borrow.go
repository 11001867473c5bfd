package room

// least is how much is lent at a time, if there is as much: asking costs a lock.
const least = 64

// Limit is how many requests the queue may have under way or completed and not taken.
// It can fall at any time, but not below the queue's own depth: a caller that has
// counted a request against an earlier limit checks the limit again afterwards, and
// takes the request back if there are too many now. See Borrow.
func (s *Share) Limit() int { return int(s.limit.Load()) }

// Borrow raises the limit, which the caller has found to be limit, and reports whether
// the caller should read it again. It waits only for other calls of Borrow.
func (s *Share) Borrow(limit int) bool {
	p := s.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if int(s.limit.Load()) != limit {
		return true // it has changed meanwhile
	}
	free := p.free()
	if free <= 0 && p.lent > 0 {
		p.reclaim()
		free = p.free()
	}
	if free <= 0 {
		return false
	}
	n := min(free, max(least, s.own))
	if int(s.limit.Load()) == s.own {
		p.borrowers = append(without(p.borrowers, s), s)
	}
	p.lent += n
	s.limit.Add(int64(n))
	return true
}

// Overdrawn is by how much the size is exceeded because others have borrowed, or have left
// completions behind, before all feeders of now had joined. That the promises alone exceed
// it does not count.
func (p *Pool) Overdrawn() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free() < 0 {
		p.reclaim()
	}
	return min(-p.free(), p.lent+p.behind())
}

// free is what can be lent. p.mu is held.
func (p *Pool) free() int {
	n := p.size - p.promised - p.lent - p.behind()
	for _, q := range p.shared {
		if q.users > 0 {
			n -= q.depth()
		}
	}
	return n
}

// behind is what feeders that are gone have left. p.mu is held.
func (p *Pool) behind() (n int) {
	for _, q := range p.shared {
		if q.users == 0 {
			n += max(0, q.left())
		}
	}
	for _, f := range p.left {
		n += max(0, f())
	}
	return n
}

// reclaim takes back what nobody uses. p.mu is held.
//
// A post may be counting itself right now. It counts first and looks at the limit then;
// here the limit falls first and the count is read then. So either the count is seen
// here, or the lower limit there.
func (p *Pool) reclaim() {
	rest := p.borrowers[:0]
	for _, s := range p.borrowers {
		extra := int(s.limit.Load()) - s.own
		s.limit.Store(int64(s.own))
		keep := min(extra, max(0, s.used()-s.own))
		p.lent -= extra - keep
		if keep > 0 {
			s.limit.Store(int64(s.own + keep))
			rest = append(rest, s)
		}
	}
	clear(p.borrowers[len(rest):])
	p.borrowers = rest
}
