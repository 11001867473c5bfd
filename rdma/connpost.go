package rdma

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// The posts of a connection are those of its endpoint, for this connection only. They use its
// queue pair directly, which refuses everything once the endpoint has been reset: see
// link.refused.

// PostSend is [Endpoint.PostSend] on this connection. Once the connection has ended, posts
// succeed and are flushed; once its endpoint has been reset, or connected anew, they fail
// with the code of the connection's end, ErrDisconnected or ErrBroken. So do the others.
func (c *Conn) PostSend(s Send) error {
	l := c.link
	if seg, ok := segment(s.From, l.zoneID, mem.LocalRead); ok && len(s.More) == 0 && s.Flags&^toHCA == 0 &&
		s.Invalidate == 0 && uint64(s.From.Len()) <= l.maxMessage {
		return l.told("post send", l.poster().PostPlainSend(s.Cookie, hca.Flags(s.Flags), seg))
	}
	return l.postSend(s)
}

// PostRecv is [Endpoint.PostRecv] on this connection.
func (c *Conn) PostRecv(r Recv) error {
	l, e := c.link, c.ep
	if seg, ok := segment(r.Into, l.zoneID, mem.LocalWrite); ok && len(r.More) == 0 && r.Flags&^NoWake == 0 &&
		uint64(r.Into.Len()) <= maxSegment && e.marks.Load() == nil {
		return l.told("post receive", l.qp.PostRecv(hca.RecvWR{ID: r.Cookie, Flags: hca.Flags(r.Flags), Local: seg}))
	}
	err := l.postRecv(r)
	e.lookAtMarks(0)
	return err
}

// PostRead is [Endpoint.PostRead] on this connection.
func (c *Conn) PostRead(r Read) error {
	l := c.link
	if seg, ok := segment(r.Into, l.zoneID, l.readNeeds); ok && len(r.More) == 0 && r.Flags&^readFlags == 0 &&
		r.From.Valid() && r.From.Length <= l.maxTransfer && r.From.Length <= uint64(r.Into.Len()) {
		seg.Len = uint32(r.From.Length)
		return l.told("post read", l.poster().PostSend(hca.SendWR{ID: r.Cookie, Op: hca.OpRead, Flags: hca.Flags(r.Flags), Local: seg,
			Remote: r.From.Addr, RKey: hca.Key(r.From.Key)}))
	}
	return l.postRead(r)
}

// PostWrite is [Endpoint.PostWrite] on this connection.
func (c *Conn) PostWrite(w Write) error {
	l := c.link
	if seg, ok := segment(w.From, l.zoneID, mem.LocalRead); ok && len(w.More) == 0 && w.Flags&^readFlags == 0 &&
		w.To.Valid() && uint64(w.From.Len()) <= min(l.maxTransfer, w.To.Length) {
		return l.told("post write", l.poster().PostPlainWrite(w.Cookie, hca.Flags(w.Flags), seg, w.To.Addr, hca.Key(w.To.Key)))
	}
	return l.postWrite(w)
}

// PostFetchAdd is [Endpoint.PostFetchAdd] on this connection.
func (c *Conn) PostFetchAdd(f FetchAdd) error { return c.link.postFetchAdd(&f) }

// PostCompareSwap is [Endpoint.PostCompareSwap] on this connection.
func (c *Conn) PostCompareSwap(s CompareSwap) error { return c.link.postCompareSwap(&s) }

// PostBind is [Endpoint.PostBind] on this connection.
func (c *Conn) PostBind(b Bind) (mem.Remote, error) { return c.link.postBindOf(b) }

// NewBatch is [Endpoint.NewBatch] for this connection.
func (c *Conn) NewBatch() *Batch { return &Batch{e: c.ep, of: c.link} }

// State is the endpoint's state until the endpoint is reset. After that it is
// StateDisconnected, or StateClosed if the endpoint is closed.
func (c *Conn) State() State {
	s := c.ep.State() // read before the link, because the link is removed before the state changes
	if s != StateClosed && c.ep.link.Load() != c.link {
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
	return c.link.qp.Outstanding()
}

// Held is [Endpoint.Held] of this connection. Once the endpoint has been reset, it holds
// nothing.
func (c *Conn) Held() (buffers, span int) {
	if c.over() {
		return 0, 0
	}
	return c.link.qp.Held()
}

// over reports whether the endpoint has been reset or closed since.
func (c *Conn) over() bool { return c.link.reset.Load() || c.ep.link.Load() != c.link }

// BeginShutdown is [Endpoint.BeginShutdown] of this connection. If it has ended, it does
// nothing: a later connection of the endpoint goes on. [Conn.Shutdown] waits for the end.
func (c *Conn) BeginShutdown() error { return c.ep.disconnect(c.link, true) }

// Abort is [Endpoint.Abort] of this connection. If it has ended, it does nothing: a later
// connection of the endpoint goes on. [Conn.Close] waits for the end.
func (c *Conn) Abort() error { return c.ep.disconnect(c.link, false) }
