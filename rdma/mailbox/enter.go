package mailbox

// enter puts a value into the mailbox, and waits for room.
func (p *peer[T, R]) enter(m *Message[T, R]) {
	g := &p.b.intake
	if !p.put(m) {
		if !g.place(m) {
			return
		}
		p.entered(m)
	}
	if !p.touched {
		p.touched = true
		g.touched = append(g.touched, p)
	}
}

// put puts a value into the mailbox and counts it, if there is room. Both happen under mu: the program
// may take an ask and answer it at once, and the answer counts its own ask, so that the sender knows of
// every ask which is answered that it was delivered.
func (p *peer[T, R]) put(m *Message[T, R]) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.ask != 0 {
		p.open[m.ask&0xffff].Store(m.ask)
	}
	if p.b.intake.put(m) {
		p.count(m.ask == 0)
		return true
	}
	p.entering = m.ask
	return false
}

// entered counts a value that has waited for room, unless its answer has counted it: then the program
// was faster than the intake.
func (p *peer[T, R]) entered(m *Message[T, R]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.entering == m.ask {
		p.count(m.ask == 0)
	}
	p.entering = 0
}

// count counts a value that the sender will not have to send again. The caller holds mu.
func (p *peer[T, R]) count(due bool) {
	p.placed++
	p.due = p.due || due
}

// place puts a message into the mailbox, and waits for room. It is false if the mailbox is closed.
func (g *intake[T, R]) place(m *Message[T, R]) bool {
	if g.put(m) {
		return true
	}
	g.acknowledge() // nobody waits for room to hear what has been placed before
	g.b.crowd.Store(true)
	for {
		select {
		case g.b.queue <- *m:
			return true
		case f := <-g.calls:
			f()
		case <-g.b.ctx.Done():
			g.shut = true
			return false
		}
	}
}

// acknowledge tells the senders what has been placed. One that asks gets to know it with the
// answer, unless its window is full: then it could send nothing else before.
func (g *intake[T, R]) acknowledge() {
	for i, p := range g.touched {
		p.touched = false
		g.touched[i] = nil
		p.mu.Lock()
		values, messages := p.patience()
		p.flight.done(p.acked)
		tell := p.placed > p.acked && (p.due || p.placed-p.acked >= values || p.flight.n >= messages)
		p.mu.Unlock()
		if tell {
			if p.frame(kindPlaced, 0, "") != nil {
				_ = p.ep.Abort() // it must not wait for what it does not get to know
			}
		}
	}
	g.touched = g.touched[:0]
}

// patience is how many asks may be placed, and how many messages may be under way, before the sender is
// told without an answer. A sender that may have more asks than its window has room for is told earlier,
// so that it need not pause.
func (p *peer[T, R]) patience() (values uint64, messages int) {
	if len(p.open) > p.window {
		return uint64(p.window+1) / 2, (p.messages + 1) / 2
	}
	return uint64(p.window), p.messages
}
