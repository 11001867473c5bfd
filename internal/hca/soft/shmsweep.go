package soft

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
)

// A connection may last long, and lead to many regions of the peer's that come and go.
// What is mapped for those that have gone is given back now and then: when as much is
// new as the last time left, so that each costs little.

// sweepLeast is how much new there is at least.
const sweepLeast = 32

// count notes something new. It reports whether it is time to sweep: once, for the
// sweep may have to wait for its turn while more comes. m.mu is held.
func (m *shmMaps) count() (due bool) {
	m.news++
	return m.news == max(sweepLeast, m.kept)
}

// sweep gives back what no good key leads to. It needs both gates, for nobody else may
// be using a mapping, or have one in a view.
func (c *shmConn) sweep() {
	c.rx.lock()
	c.q.tx.lock()
	c.sweepOn()
}

// sweepOn is sweep for who is inside both gates. It leaves them.
func (c *shmConn) sweepOn() {
	if !c.gone {
		c.keep()
		clear(c.out.views[:])
		clear(c.in.views[:])
		c.maps.sweep(func(key uint32) bool { return onBoard(c.peer.board, key) })
	}
	c.leave(&after{})
	if c.readOn() {
		c.schedule()
	}
}

// keep has what is under way, which goes on with the mapping it has begun with, be the last
// that has led there. A write could not wait for the file to come again.
func (c *shmConn) keep() {
	q := c.q
	if q.sq.next == q.sq.tail {
		return
	}
	if r := q.sq.at(q.sq.next); r.reach {
		*c.out.views.at(r.wr.RKey) = view{}
		need := hca.RemoteWrite
		if r.wr.Op == hca.OpRead {
			need = hca.RemoteRead
		}
		c.look(&c.out.views, r.wr.RKey, need)
	}
}

func onBoard(board *shm.Segment, key uint32) bool {
	at := boardBucket(key)
	for way := range boardWays {
		if shm.Word64(board.Bytes(), at+way*boardRecord+recKey).Load() == uint64(key) {
			return true
		}
	}
	return false
}

// sweep keeps what the last key that has led there still leads to. What another one
// leads to is mapped anew when that is used.
func (m *shmMaps) sweep(good func(key uint32) bool) {
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
