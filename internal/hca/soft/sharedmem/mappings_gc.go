package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/keydir"
)

// A long-lived connection may lead to many regions of the peer that come and go. The mappings of those that are
// gone are released in a sweep. It runs when as many entries are new as the last sweep kept, so the cost per
// entry stays small.

// sweepLeast is the smallest number of new entries that causes a sweep.
const sweepLeast = 32

// count notes a new entry. It reports once that a sweep is due, because the sweep may have to wait for the
// gates while more entries come. The caller holds m.mu.
func (m *mappings) count() (due bool) {
	m.news++
	return m.news == max(sweepLeast, m.kept)
}

// sweep releases the mappings to which no valid key leads. It takes both gates, so that nobody uses a mapping
// or holds one in an rkey cache.
func (c *Conn) sweep() {
	c.rx.Lock()
	c.q.Tx.Lock()
	c.sweepAndLeave()
}

// sweepAndLeave is sweep for a caller that is inside both gates. It leaves them.
func (c *Conn) sweepAndLeave() {
	if !c.gone {
		c.keepMapping()
		c.out.rkeys.clear()
		c.in.rkeys.clear()
		c.maps.sweep(func(key uint32) bool {
			_, w := keydir.Find(c.peer.directory.Bytes(), key)
			return w != 0
		})
	}
	c.LeaveSend()
	if c.finishRecv() {
		c.Schedule()
	}
}

// keepMapping marks the mapping of the transfer in progress as used, so that sweep does not unmap it. A write cannot
// wait for the file to arrive again.
func (c *Conn) keepMapping() {
	q := c.q
	if q.SQ.Next == q.SQ.Tail {
		return
	}
	if r := q.SQ.At(q.SQ.Next); r.OneSided {
		*c.out.rkeys.place(r.WR.RKey) = rkey{}
		need := hca.RemoteWrite
		if r.WR.Op == hca.OpRead {
			need = hca.RemoteRead
		}
		c.lookUp(&c.out.rkeys, r.WR.RKey, need)
	}
}

// sweep keeps a mapping or file only if the last key that led to it is valid. If another valid key leads there
// too, its next use maps the region again.
func (m *mappings) sweep(good func(key uint32) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for k, x := range m.maps {
		if !good(x.key) {
			x.unmap()
			delete(m.maps, k)
		}
	}
	for k, f := range m.files {
		if good(f.key) {
			continue
		}
		if f.file != nil {
			_ = f.file.Close()
		}
		delete(m.files, k)
	}
	m.news, m.kept = 0, len(m.maps)+len(m.files)
}
