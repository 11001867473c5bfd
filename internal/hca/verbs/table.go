package verbs

import (
	"sync"
	"sync/atomic"
)

// wrID identifies a work request to the device: its queue, and its slot in the queue's
// ring.
//
//	63       of a shared receive queue
//	62 .. 32 index into the adapter's table, with its generation
//	31       of a receive queue
//	30 .. 0  slot
type wrID uint64

const (
	idShared = wrID(1) << 63
	idRecv   = wrID(1) << 31
)

func (i wrID) shared() bool  { return i&idShared != 0 }
func (i wrID) recv() bool    { return i&idRecv != 0 }
func (i wrID) index() uint32 { return uint32(i>>32) & 0x7FFFFFFF }
func (i wrID) slot() uint64  { return uint64(i & (idRecv - 1)) }

const (
	tableBits = 20 // a million queue pairs and shared receive queues
	tableMask = 1<<tableBits - 1
)

// table finds queue pairs and shared receive queues by index, without a lock:
// every completion passes here.
type table struct {
	mu   sync.Mutex
	free []uint32
	all  atomic.Pointer[[]*atomic.Pointer[entry]]
	gens []uint32
}

// entry is the content of one place of the table.
type entry struct {
	index uint32 // with the generation, so that a late completion finds no queue
	qp    *qp
	srq   *srq
}

// put stores a queue in a free entry and returns its index.
func (t *table) put(q *qp, s *srq) uint32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []*atomic.Pointer[entry]
	if p := t.all.Load(); p != nil {
		all = *p
	}
	if len(t.free) == 0 {
		n := uint32(len(all))
		grown := make([]*atomic.Pointer[entry], max(16, 2*n))
		copy(grown, all)
		for i := n; i < uint32(len(grown)); i++ {
			grown[i] = new(atomic.Pointer[entry])
			t.gens = append(t.gens, 0)
			t.free = append(t.free, i)
		}
		all = grown
		t.all.Store(&all)
	}
	i := t.free[0]
	t.free = t.free[1:]
	t.gens[i]++
	index := (t.gens[i]<<tableBits | i) & 0x7FFFFFFF
	all[i].Store(&entry{index: index, qp: q, srq: s})
	return index
}

// drop clears an entry.
func (t *table) drop(index uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := index & tableMask
	(*t.all.Load())[i].Store(nil)
	t.free = append(t.free, i)
}

func (t *table) get(index uint32) *entry {
	p := t.all.Load()
	if p == nil || index&tableMask >= uint32(len(*p)) {
		return nil
	}
	if e := (*p)[index&tableMask].Load(); e != nil && e.index == index {
		return e
	}
	return nil
}

func (t *table) qp(index uint32) *qp {
	if e := t.get(index); e != nil {
		return e.qp
	}
	return nil
}

func (t *table) srq(index uint32) *srq {
	if e := t.get(index); e != nil {
		return e.srq
	}
	return nil
}
