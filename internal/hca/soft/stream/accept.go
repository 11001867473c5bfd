package stream

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/accepts"
	"github.com/godapl/godapl/internal/hca/soft/connreq"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/stream/captured"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
	"github.com/godapl/godapl/internal/iwarp"
)

// request is a connection request that arrived over a stream and waits for an answer.
type request struct {
	s       *listener
	conn    net.Conn
	frame   *iwarp.Frame
	private []byte
	connreq.Pending
	early []byte // what the peer sent before the answer; valid once the watch has ended
}

func (r *request) Local() string   { return r.s.l.Addr() }
func (r *request) Remote() string  { return r.conn.RemoteAddr().String() }
func (r *request) Private() []byte { return r.private }

// TLS implements hca.Secured.
func (r *request) TLS() *tls.ConnectionState { return stateOf(r.conn) }

// reply writes the reply frame: an acceptance of q, or a reject.
func (r *request) reply(accept *iwarp.Frame, private []byte) error {
	// A peer whose request is enhanced takes the first bytes of the private data for the enhanced block, in a
	// reject too.
	f := iwarp.Frame{Revision: r.frame.Revision, CRC: true, Reject: true, Private: private, Enhanced: r.frame.Enhanced}
	if accept != nil {
		f = *accept
	}
	b, err := iwarp.AppendReply(nil, &f)
	if err != nil {
		return err
	}
	_ = r.conn.SetWriteDeadline(time.Now().Add(connreq.RequestTime))
	defer r.conn.SetWriteDeadline(time.Time{})
	_, err = r.conn.Write(b)
	return err
}

func (r *request) Reject(private []byte) error {
	if err := core.CheckPrivate("reject", private); err != nil {
		return err
	}
	if err := r.Answer("reject"); err != nil {
		return err
	}
	_ = r.reply(nil, private) // a peer that is gone needs no reply
	x := r.s.p.halfOpen.EnterRejected(r.conn)
	r.s.p.a.Background.Go("accept", func() {
		closeAfterReply(r.conn)
		x.Leave()
	})
	return nil
}

// closeAfterReply closes a stream so that the last bytes written arrive. It gives the peer a moment to close first:
// Linux's siw drops the answer's private data if it reads the answer and the end of the stream together.
func closeAfterReply(conn net.Conn) {
	if _, ok := conn.(interface{ CloseWrite() error }); ok {
		_ = conn.SetReadDeadline(time.Now().Add(wire.LingerTime / 8))
		var b [64]byte
		for n := 0; n < 64; n++ {
			if _, err := conn.Read(b[:]); err != nil {
				break
			}
		}
	}
	_ = conn.Close()
}

// Close refuses the request if nobody has answered it. The adapter closes many, and must not wait for each peer in turn.
func (r *request) Close() error {
	if r.Answer("close") == nil {
		r.s.p.a.Background.Go("accept", r.refuse)
	}
	return nil
}

// refuse replies that nobody serves the request: no program has rejected it.
func (r *request) refuse() {
	_ = r.reply(nil, nobody)
	closeAfterReply(r.conn)
}

func (r *request) Accept(ctx context.Context, to hca.QP, p hca.ConnParams) error {
	const op = "accept"
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	q, err := r.s.l.Adapter.Acceptable(op, to, p, cancel)
	if err != nil {
		return err
	}
	if err := r.Answer(op); err != nil {
		return q.OpenFailed(err)
	}
	if ctx.Err() != nil {
		r.refuse()
		return q.OpenFailed(connreq.CtxError(ctx, op, "request", ctx.Err()))
	}
	_ = r.conn.SetReadDeadline(time.Now().Add(connreq.FirstFrameTime))
	stop := context.AfterFunc(ctx, func() { _ = r.conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	c := r.s.p.newConn(q, false)
	c.remote = r.Remote()
	below, _ := captured.Unwrap(r.conn)
	b := q.Adapter.Accepts.Enter(q, below)
	defer q.Adapter.Accepts.Leave(b)
	early, err := r.negotiate(c, b, p.Private)
	if err == nil && !stop() {
		err = ctx.Err()
	}
	_ = r.conn.SetReadDeadline(time.Time{})
	if err != nil {
		_ = r.conn.Close()
		return q.OpenFailed(connreq.AcceptError(ctx, op, err))
	}
	return c.join(r.conn, early, hca.ConnInfo{Local: r.Local(), Remote: r.Remote()})
}

// negotiate answers the request and, in the peer-to-peer model, waits for the peer's first frame. It returns the
// bytes it has read.
func (r *request) negotiate(c *Conn, b *accepts.Accept, private []byte) ([]byte, error) {
	f, q := r.frame, c.q
	c.crc, c.markers = true, f.Markers
	reply := iwarp.Frame{Revision: f.Revision, CRC: true, Private: private}
	c.ird, c.ord = max(q.Config.ReadsIn, 1), q.Config.ReadsOut
	c.peerORD = c.ird
	if f.Enhanced {
		reply.Enhanced, reply.PeerToPeer = true, f.PeerToPeer
		if f.IRD != iwarp.NotNegotiated {
			c.ord = min(c.ord, int(f.IRD))
		}
		if f.ORD != iwarp.NotNegotiated {
			c.peerORD = int(f.ORD)
		}
		// Some peers take these literally: 0 disables reads for the whole connection.
		reply.IRD, reply.ORD = iwarp.Depth(c.ird), iwarp.Depth(max(c.ord, 1))
		if f.PeerToPeer {
			switch {
			case f.RTR&iwarp.RTRWrite != 0, f.RTR == 0:
				reply.RTR = iwarp.RTRWrite
			case f.RTR&iwarp.RTRRead != 0:
				reply.RTR = iwarp.RTRRead
			default:
				reply.RTR = iwarp.RTRSend
			}
		}
	}
	if err := r.reply(&reply, nil); err != nil {
		return nil, err
	}
	if !reply.PeerToPeer {
		c.shared.silence = r.s.l.Config.SpeakAfter
		return r.early, nil
	}
	return c.readyToReceive(r.conn, b, reply.RTR, r.early)
}

// readyToReceive reads the initiator's first FPDU and consumes it if it only says that the initiator is ready.
// early is what was read of the stream before.
func (c *Conn) readyToReceive(conn net.Conn, b *accepts.Accept, rtr iwarp.RTR, early []byte) ([]byte, error) {
	buf := append(make([]byte, 0, 4096), early...)
	for {
		ulpdu, used, need, err := iwarp.ParseFPDU(buf, c.crc)
		var s iwarp.Segment
		switch {
		case err != nil, used > 0 && iwarp.ParseSegment(ulpdu, &s) != nil:
			return buf, nil // the receive half refuses it
		case used > 0:
			if c.greeted(&s, rtr) {
				buf = buf[used:]
			}
			return buf, nil
		case len(buf)+need > cap(buf):
			return buf, nil // too large for a ready-to-receive frame: the receive half handles it
		}
		n, err := b.Read(conn, buf[len(buf):cap(buf)])
		if err != nil && n == 0 {
			return nil, err
		}
		buf = buf[:len(buf)+n]
	}
}

// greeted handles the first segment if it is the agreed ready-to-receive frame, which has length zero.
func (c *Conn) greeted(s *iwarp.Segment, rtr iwarp.RTR) bool {
	switch {
	case rtr == iwarp.RTRWrite && s.Op == iwarp.OpWrite && s.Len == 0 && s.Last:
		c.identify(s)
		c.in.any = true
		c.shared.hello.Store(c.peer.Load() == peerGodapl)
	case rtr == iwarp.RTRRead && s.Op == iwarp.OpReadRequest && s.MSN == iwarp.FirstMSN:
		var r iwarp.ReadRequest
		if iwarp.ParseReadRequest(s.Payload, &r) != nil || r.Size != 0 {
			return false
		}
		c.identify(s)
		c.in.any = true
		c.in.request++
		c.shared.resps = append(c.shared.resps, response{sink: r.SinkSTag, sinkTO: r.SinkTO})
		c.shared.respCount.Store(1)
	case rtr == iwarp.RTRSend && s.Op == iwarp.OpSend && s.Len == 0 && s.Last && s.MSN == iwarp.FirstMSN && s.MO == 0:
		c.identify(s)
		c.in.any = true
		c.in.msn++
	default:
		return false
	}
	return true
}

// join binds the connection to the queue pair and reports it.
func (c *Conn) join(conn net.Conn, early []byte, info hca.ConnInfo) error {
	q, state := c.q, stateOf(conn)
	if err := c.attach(conn, early); err != nil {
		return q.OpenFailed(err)
	}
	c.beginNudge()
	c.beginSilence()
	if !q.Establish(c) {
		c.endNudge()
		if conn, err := c.w.Release(c.a.Background.Context()); err == nil {
			_ = conn.Close()
		}
		c.in.drop()
		return q.OpenFailed(core.ErrAborted)
	}
	info.Path, info.Poster, info.TLS = "tcp", c.q.Direct(c), state
	info.Caps = q.Adapter.Attrs.Caps &^ hca.CapSendImm
	if c.peer.Load() == peerOther {
		info.Caps &^= hca.CapAtomics | hca.CapWriteImm
	}
	info.ReadsOut, info.ReadsIn = c.ord, min(c.peerORD, q.Config.ReadsIn)
	q.Config.Event(hca.ConnEvent{Kind: hca.EventEstablished, Info: &info})
	c.start()
	q.Release()
	return nil
}

// watchPeer watches the stream of a request. What a peer sends before the answer is kept for the connection.
func (r *request) watchPeer() {
	r.Watch(r.conn.SetReadDeadline, func() error { return r.readEarly(r.conn) }, func() { _ = r.conn.Close() })
}

func (r *request) readEarly(conn net.Conn) error {
	var b [1]byte
	n, err := conn.Read(b[:])
	if n > 0 {
		r.early = append(r.early, b[:n]...)
		return nil
	}
	return err
}
