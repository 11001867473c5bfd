package rdma

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// The posts of a connection are those of its endpoint, for this connection only. They use its
// queue pair directly, which refuses everything once the endpoint has been reset: see
// session.refused.

// PostSend is [Endpoint.PostSend] on this connection. Once the connection has ended, posts
// succeed and are flushed; once its endpoint has been reset, or connected anew, they fail
// with the code of the connection's end, ErrDisconnected or ErrBroken. So do the others.
func (c *Conn) PostSend(s Send) error { return c.ep.send(c.session, &s) }

// PostRecv is [Endpoint.PostRecv] on this connection.
func (c *Conn) PostRecv(r Recv) error {
	sess, e := c.session, c.ep
	if r.Into.Allows(sess.zoneID, mem.LocalWrite) && len(r.More) == 0 && r.Flags&^NoWake == 0 &&
		uint64(r.Into.Len()) <= maxSegment && e.marks.Load() == nil {
		return sess.told("post receive", sess.qp.PostRecv(hca.RecvWR{ID: r.Cookie, Flags: hca.Flags(r.Flags), Local: segment(r.Into)}))
	}
	err := sess.postRecv(r)
	e.lookAtMarks(0)
	return err
}

// PostRead is [Endpoint.PostRead] on this connection.
func (c *Conn) PostRead(r Read) error {
	sess := c.session
	if r.Into.Allows(sess.zoneID, sess.readNeeds) && len(r.More) == 0 && r.Flags&^readFlags == 0 &&
		r.From.Valid() && r.From.Length <= sess.maxTransfer && r.From.Length <= uint64(r.Into.Len()) {
		seg := segment(r.Into)
		seg.Len = uint32(r.From.Length)
		return sess.told("post read", sess.poster().PostSend(hca.SendWR{ID: r.Cookie, Op: hca.OpRead, Flags: hca.Flags(r.Flags), Local: seg,
			Remote: r.From.Addr, RKey: hca.Key(r.From.Key)}))
	}
	return sess.postRead(r)
}

// PostWrite is [Endpoint.PostWrite] on this connection.
func (c *Conn) PostWrite(w Write) error { return c.ep.write(c.session, &w) }

// PostWriteOf is [Endpoint.PostWriteOf] on this connection.
func (c *Conn) PostWriteOf(w *Write) error { return c.ep.write(c.session, w) }

// PostFetchAdd is [Endpoint.PostFetchAdd] on this connection.
func (c *Conn) PostFetchAdd(f FetchAdd) error { return c.session.postFetchAdd(&f) }

// PostCompareSwap is [Endpoint.PostCompareSwap] on this connection.
func (c *Conn) PostCompareSwap(s CompareSwap) error { return c.session.postCompareSwap(&s) }

// PostBind is [Endpoint.PostBind] on this connection.
func (c *Conn) PostBind(b Bind) (mem.Remote, error) { return c.session.postBindOf(b) }

// NewBatch is [Endpoint.NewBatch] for this connection.
func (c *Conn) NewBatch() *Batch { return &Batch{e: c.ep, of: c.session} }

// State is the endpoint's state until the endpoint is reset. After that it is
// StateDisconnected, or StateClosed if the endpoint is closed.
func (c *Conn) State() State {
	s := c.ep.State() // read before the session, because the session is removed before the state changes
	if s != StateClosed && c.ep.session.Load() != c.session {
		return StateDisconnected
	}
	return s
}

// Outstanding is [Endpoint.Outstanding] of this connection. Once the endpoint has been reset,
// both numbers are 0.
func (c *Conn) Outstanding() (requests, receives int) {
	if c.over() {
		return 0, 0
	}
	return c.session.qp.Outstanding()
}

// Held is [Endpoint.Held] of this connection. Once the endpoint has been reset, it holds
// nothing.
func (c *Conn) Held() (buffers, span int) {
	if c.over() {
		return 0, 0
	}
	return c.session.qp.Held()
}

// over reports whether the endpoint has been reset or closed since.
func (c *Conn) over() bool { return c.session.reset.Load() || c.ep.session.Load() != c.session }

// BeginShutdown is [Endpoint.BeginShutdown] of this connection. If that has ended, the call
// does nothing, and a later connection of the endpoint continues. [Conn.Shutdown] waits for
// the end.
func (c *Conn) BeginShutdown() error { return c.ep.disconnect(c.session, true) }

// Abort is [Endpoint.Abort] of this connection. If that has ended, the call does nothing, and
// a later connection of the endpoint continues. [Conn.Close] waits for the end.
func (c *Conn) Abort() error { return c.ep.disconnect(c.session, false) }
