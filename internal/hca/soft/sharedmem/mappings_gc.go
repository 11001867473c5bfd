package sharedmem

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/shm"
)

// A connection may last long, and lead to many regions of the peer's that come and go.
// What is mapped for those that have gone is given back now and then: when as much is
// new as the last time left, so that each costs little.

// sweepLeast is how much new there is at least.
const sweepLeast = 32

// count notes something new. It reports whether it is time to sweep: once, for the
// sweep may have to wait for its turn while more comes. m.mu is held.
func (m *mappings) count() (due bool) {
	m.news++
	return m.news == max(sweepLeast, m.kept)
}

// sweep gives back what no good key leads to. It needs both gates, for nobody else may
// be using a mapping, or have one in a view.
func (c *Conn) sweep() {
	c.rx.Lock()
	c.q.Tx.Lock()
	c.sweepOn()
}

// sweepOn is sweep for who is inside both gates. It leaves them.
func (c *Conn) sweepOn() {
	if !c.gone {
		c.keep()
		clear(c.out.views[:])
		clear(c.in.views[:])
		c.maps.sweep(func(key uint32) bool { return listed(c.peer.directory, key) })
	}
	c.leave(&core.Deferred{})
	if c.readOn() {
		c.Schedule()
	}
}

// keep has what is under way, which goes on with the mapping it has begun with, be the last
// that has led there. A write could not wait for the file to come again.
func (c *Conn) keep() {
	q := c.q
	if q.SQ.Next == q.SQ.Tail {
		return
	}
	if r := q.SQ.At(q.SQ.Next); r.OneSided {
		*c.out.views.at(r.WR.RKey) = rkey{}
		need := hca.RemoteWrite
		if r.WR.Op == hca.OpRead {
			need = hca.RemoteRead
		}
		c.lookUp(&c.out.views, r.WR.RKey, need)
	}
}

func listed(board *shm.Segment, key uint32) bool {
	at := recordsOf(key)
	for way := range directoryWays {
		if shm.Word64(board.Bytes(), at+way*recordSize+recKey).Load() == uint64(key) {
			return true
		}
	}
	return false
}

// sweep keeps what the last key that has led there still leads to. What another one
// leads to is mapped anew when that is used.
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
