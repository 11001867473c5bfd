package rdma

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/rdma/mem"
)

// pendingOps is the table of a session's pending operations.
type pendingOps struct {
	session *session
	mu      sync.Mutex
	all     []*pendingOp // by number; nil: free
	free    []uint64
	idle    []*pendingOp // free list
	// orphans are posted receives whose caller was cancelled, oldest first.
	orphans  []*pendingOp
	orphaned atomic.Bool // there are some
	seq      uint64
	dead     bool // failAll was called
}

func (t *pendingOps) init(sess *session) { t.session = sess }

// open creates an operation whose completion arrives in q.
func (t *pendingOps) open(q *CompletionQueue) *pendingOp {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.take(q)
}

// openBind creates the operation of a bind. It marks it under the lock, because a concurrent
// failAll must skip it: no caller waits for a bind, and its completion still arrives.
func (t *pendingOps) openBind(q *CompletionQueue, b *Bind, quiet bool) *pendingOp {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.take(q)
	p.bind, p.cookie, p.window, p.quiet = true, b.Cookie, b.Window, quiet
	return p
}

// take assigns a number to an operation. The caller holds t.mu.
func (t *pendingOps) take(q *CompletionQueue) *pendingOp {
	var p *pendingOp
	if n := len(t.idle); n > 0 {
		p = t.idle[n-1]
		t.idle = t.idle[:n-1]
	} else {
		p = &pendingOp{table: t}
	}
	t.seq++
	p.q, p.seq = q, t.seq
	if n := len(t.free); n > 0 {
		p.id = t.free[n-1]
		t.free = t.free[:n-1]
		t.all[p.id] = p
	} else {
		p.id = uint64(len(t.all))
		t.all = append(t.all, p)
	}
	return p
}

// unposted frees an operation whose request was refused.
func (t *pendingOps) unposted(p *pendingOp) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget(p)
	t.recycle(p)
}

// forget frees the number. t.mu is held.
func (t *pendingOps) forget(p *pendingOp) {
	if p.id < uint64(len(t.all)) && t.all[p.id] == p {
		t.all[p.id] = nil
		t.free = append(t.free, p.id)
	}
}

// recycle resets k and puts it on the free list. No goroutine waits for k. The caller holds
// t.mu.
func (t *pendingOps) recycle(p *pendingOp) {
	if p.lender != nil {
		p.lender.put(p.lent)
	}
	p.bind, p.quiet, p.abandoned, p.recv, p.unarmed = false, false, false, false, false
	p.cookie, p.window, p.into, p.lent, p.lender = 0, nil, mem.Slice{}, mem.Slice{}, nil
	p.c = Completion{}
	p.done.Store(false)
	if t.dead {
		p.cell.Forget()
	}
	t.idle = append(t.idle, p)
}

// completed delivers the completion of an operation. It reports whether the dispatcher must get it
// instead, as with a bind.
func (t *pendingOps) completed(id uint64, c *Completion) (handOut bool) {
	t.mu.Lock()
	if id >= uint64(len(t.all)) || t.all[id] == nil {
		t.mu.Unlock() // its caller returned with the endpoint
		return false
	}
	p := t.all[id]
	t.forget(p)
	if p.bind {
		defer t.mu.Unlock()
		c.Cookie, c.Window = p.cookie, p.window
		handOut = !p.quiet || c.Status != StatusOK
		t.recycle(p)
		return handOut
	}
	c.Cookie = 0
	p.c = *c
	if p.abandoned && !p.recv {
		t.recycle(p)
		t.mu.Unlock()
		return false
	}
	p.done.Store(true)
	t.mu.Unlock()
	p.cell.Wake()
	return false
}

// failAll wakes the waiting callers when no completion can arrive any more.
func (t *pendingOps) failAll() {
	t.mu.Lock()
	t.dead = true
	for _, p := range t.idle {
		p.cell.Forget()
	}
	var woken []*pendingOp
	for _, p := range t.all {
		if p != nil && !p.bind {
			t.forget(p)
			p.c = Completion{Endpoint: t.session.ep, Status: StatusFlushed}
			p.done.Store(true)
			woken = append(woken, p)
		}
	}
	t.mu.Unlock()
	for _, p := range woken {
		p.cell.Wake()
	}
}

// close frees an operation whose completion has arrived.
func (t *pendingOps) close(p *pendingOp) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.recycle(p)
}

// abandon detaches an operation from its cancelled caller. Receives go to orphans, in the order of
// posting. The caller holds t.mu.
func (t *pendingOps) abandon(p *pendingOp) {
	p.abandoned = true
	if !p.recv {
		return
	}
	i := len(t.orphans)
	for i > 0 && t.orphans[i-1].seq > p.seq {
		i--
	}
	t.orphans = slices.Insert(t.orphans, i, p)
	t.orphaned.Store(true)
}

// adopt takes the oldest orphan.
func (t *pendingOps) adopt() *pendingOp {
	if !t.orphaned.Load() {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.orphans) == 0 {
		return nil
	}
	p := t.orphans[0]
	t.orphans = slices.Delete(t.orphans, 0, 1)
	t.orphaned.Store(len(t.orphans) > 0)
	p.abandoned = false
	return p
}

// giveBack returns an adopted receive to the orphans.
func (t *pendingOps) giveBack(p *pendingOp) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.abandon(p)
}
