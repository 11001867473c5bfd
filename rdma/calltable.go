package rdma

import (
	"slices"
	"sync"

	"github.com/godapl/godapl/rdma/mem"
)

// callTable holds the calls of one link.
type callTable struct {
	link *link
	mu   sync.Mutex
	all  []*call // by number; nil: free
	free []uint64
	idle []*call // free list
	// orphans are posted receives whose call was cancelled, oldest first.
	orphans []*call
	seq     uint64
}

func (t *callTable) init(l *link) { t.link = l }

// open creates a call whose completion arrives in q.
func (t *callTable) open(q *CompletionQueue) *call {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.take(q)
}

// openBind creates the call of a bind. It marks the call under the lock, because a concurrent
// failAll must skip it: no caller waits for a bind, and its completion still arrives.
func (t *callTable) openBind(q *CompletionQueue, b *Bind, quiet bool) *call {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.take(q)
	k.bind, k.cookie, k.window, k.quiet = true, b.Cookie, b.Window, quiet
	return k
}

// take assigns a number to a call. The caller holds t.mu.
func (t *callTable) take(q *CompletionQueue) *call {
	var k *call
	if n := len(t.idle); n > 0 {
		k = t.idle[n-1]
		t.idle = t.idle[:n-1]
	} else {
		k = &call{table: t}
	}
	t.seq++
	k.q, k.seq = q, t.seq
	if n := len(t.free); n > 0 {
		k.id = t.free[n-1]
		t.free = t.free[:n-1]
		t.all[k.id] = k
	} else {
		k.id = uint64(len(t.all))
		t.all = append(t.all, k)
	}
	return k
}

// unposted frees a call whose request was refused.
func (t *callTable) unposted(k *call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget(k)
	t.recycle(k)
}

// forget frees the number. t.mu is held.
func (t *callTable) forget(k *call) {
	if k.id < uint64(len(t.all)) && t.all[k.id] == k {
		t.all[k.id] = nil
		t.free = append(t.free, k.id)
	}
}

// recycle resets k and puts it on the free list. No goroutine waits for k. The caller holds
// t.mu.
func (t *callTable) recycle(k *call) {
	if k.lender != nil {
		k.lender.put(k.lent)
	}
	k.bind, k.quiet, k.abandoned, k.recv = false, false, false, false
	k.cookie, k.window, k.into, k.lent, k.lender = 0, nil, mem.Slice{}, mem.Slice{}, nil
	k.c = Completion{}
	k.done.Store(false)
	t.idle = append(t.idle, k)
}

// completed delivers the completion of a call. It reports whether the dispatcher must get it
// instead, as with a bind.
func (t *callTable) completed(id uint64, c *Completion) (handOut bool) {
	t.mu.Lock()
	if id >= uint64(len(t.all)) || t.all[id] == nil {
		t.mu.Unlock() // its call ended with the endpoint
		return false
	}
	k := t.all[id]
	t.forget(k)
	if k.bind {
		defer t.mu.Unlock()
		c.Cookie, c.Window = k.cookie, k.window
		handOut = !k.quiet || c.Status != StatusOK
		t.recycle(k)
		return handOut
	}
	c.Cookie = 0
	k.c = *c
	if k.abandoned && !k.recv {
		t.recycle(k)
		t.mu.Unlock()
		return false
	}
	k.done.Store(true)
	t.mu.Unlock()
	k.cell.Wake()
	return false
}

// failAll ends waiting calls when no completion can arrive any more.
func (t *callTable) failAll() {
	t.mu.Lock()
	var woken []*call
	for _, k := range t.all {
		if k != nil && !k.bind {
			t.forget(k)
			k.c = Completion{Endpoint: t.link.ep, Status: StatusFlushed}
			k.done.Store(true)
			woken = append(woken, k)
		}
	}
	t.mu.Unlock()
	for _, k := range woken {
		k.cell.Wake()
	}
}

// close ends a call whose completion has arrived.
func (t *callTable) close(k *call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.recycle(k)
}

// abandon detaches a call from its cancelled caller. Receives go to orphans, in the order of
// posting. The caller holds t.mu.
func (t *callTable) abandon(k *call) {
	k.abandoned = true
	if !k.recv {
		return
	}
	i := len(t.orphans)
	for i > 0 && t.orphans[i-1].seq > k.seq {
		i--
	}
	t.orphans = slices.Insert(t.orphans, i, k)
}

// adopt takes the oldest orphan.
func (t *callTable) adopt() *call {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.orphans) == 0 {
		return nil
	}
	k := t.orphans[0]
	t.orphans = slices.Delete(t.orphans, 0, 1)
	k.abandoned = false
	return k
}

// giveBack returns an adopted receive to the orphans.
func (t *callTable) giveBack(k *call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.abandon(k)
}
