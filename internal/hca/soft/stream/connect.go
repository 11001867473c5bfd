package stream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/connreq"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/errno"
	"github.com/godapl/godapl/internal/hca/soft/neterr"
	"github.com/godapl/godapl/internal/iwarp"
)

// dial connects over the network, as far as the caller's context allows.
func (p *Path) dial(ctx context.Context, q *core.QP, address, host string, service uint64, params hca.ConnParams) error {
	var err error
	for _, at := range p.places(address, host, service) {
		err = p.dialPort(ctx, q, at, address, service, params, 0)
		if service <= maxPort || err == nil || ctx.Err() != nil {
			break
		}
		var e *hca.Error
		if errors.As(err, &e) && e.Code != hca.Refused && !(e.Code == hca.Rejected && bytes.Equal(e.Private, wrongWide)) {
			break // it was the right service, and it rejected the request
		}
	}
	var e *hca.Error
	if errors.As(err, &e) && e.Code == hca.Rejected && bytes.Equal(e.Private, wrongWide) {
		return hca.NewError(hca.Refused, "connect", address, "nobody offers that service there")
	}
	return err
}

func (p *Path) dialPort(ctx context.Context, q *core.QP, at, address string, service uint64, params hca.ConnParams, tries int) error {
	conn, err := p.fabric.Dial(ctx, at)
	if err != nil {
		return neterr.Dial(address, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	c := p.newConn(q, true)
	c.remote = address
	rev := iwarp.Revision2
	if tries == 2 {
		rev = iwarp.Revision1
	}
	f, early, err := c.handshake(conn, wrapWide(service, params.Private), rev)
	var disagreed error
	if err == nil && !f.Reject {
		disagreed = c.applyReply(conn, f)
	}
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close()
		if again := tries == 0 || tries == 1 && secured(conn) == nil; again && err == errNoReply && service <= maxPort && ctx.Err() == nil {
			// It has too many streams or no descriptors; or, if it does so twice and has no TLS, knows only revision 1.
			return p.dialPort(ctx, q, at, address, service, params, tries+1)
		}
		return answerError(address, err)
	}
	if f.Reject {
		_ = conn.Close()
		if err := tlsError(address, nil, f.Private); err != nil {
			return err
		}
		if bytes.Equal(f.Private, nobody) {
			return hca.NewError(hca.Refused, "connect", address, connreq.Full)
		}
		return &hca.Error{Op: "connect", Object: address, Code: hca.Rejected, Private: f.Private}
	}
	if disagreed != nil {
		return disagreed
	}
	return c.join(conn, early, hca.ConnInfo{Local: conn.LocalAddr().String(), Remote: address, Private: f.Private})
}

func answerError(address string, err error) error {
	var pe iwarp.ParseError
	if err := tlsError(address, err, nil); err != nil {
		return err
	}
	switch {
	case err == errNoReply, err == errPartialReply:
		return hca.Wrap(hca.Refused, "connect", address, "it is no iWARP service, it is closing, or many connect at this moment: then try again", err)
	case errors.As(err, &pe):
		return hca.Wrap(hca.Refused, "connect", address, "the answer is not iWARP: is it the right service?", err)
	}
	return hca.Wrap(hca.Unreachable, "connect", address, "", err)
}

// handshake sends the request and reads the reply. It returns the bytes that followed the reply.
func (c *Conn) handshake(conn net.Conn, private []byte, rev iwarp.Revision) (*iwarp.Frame, []byte, error) {
	cfg := &c.q.Config
	req := iwarp.Frame{Revision: rev, CRC: true, Private: private}
	if rev == iwarp.Revision2 {
		req.Enhanced, req.PeerToPeer, req.RTR = true, true, iwarp.RTRWrite|iwarp.RTRRead
		req.IRD, req.ORD = iwarp.Depth(max(cfg.ReadsIn, 1)), iwarp.Depth(max(cfg.ReadsOut, 1))
	}
	b, err := iwarp.AppendRequest(nil, &req)
	if err != nil {
		return nil, nil, err
	}
	if _, err := conn.Write(b); err != nil {
		return nil, nil, noReply(err, 0)
	}
	buf := make([]byte, 0, 4096)
	f := new(iwarp.Frame)
	for {
		n, err := conn.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		used, _, perr := iwarp.ParseReply(buf, f)
		switch {
		case perr != nil:
			return nil, nil, perr
		case used > 0:
			f.Private = bytes.Clone(f.Private)
			return f, bytes.Clone(buf[used:]), nil
		case err != nil:
			return nil, nil, noReply(err, len(buf))
		}
	}
}

// noReply recognizes a stream that ended before a reply; got is how many bytes of one arrived. A peer that
// leaves bytes of ours unread resets the stream.
func noReply(err error, got int) error {
	if err == io.EOF || errors.Is(err, errno.Reset) || errors.Is(err, errno.Pipe) {
		if got == 0 {
			return errNoReply
		}
		return errPartialReply
	}
	return err
}

// applyReply applies the reply, and sends the agreed first frame. If that fails, it closes the stream.
func (c *Conn) applyReply(conn net.Conn, f *iwarp.Frame) error {
	cfg := &c.q.Config
	c.crc, c.markers = true, f.Markers
	c.ird, c.ord = max(cfg.ReadsIn, 1), cfg.ReadsOut
	c.peerORD = c.ird
	disagree := func(cause iwarp.Cause, why string) error {
		t := iwarp.NewTerminate(cause, nil, 0)
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = conn.Write(iwarp.AppendTerminate(nil, &t, c.crc))
		closeAfterReply(conn)
		return hca.Wrap(hca.Refused, "connect", c.remote, why, cause)
	}
	if !f.Enhanced {
		c.peer.Store(peerOther)
		return nil
	}
	if f.IRD != iwarp.NotNegotiated {
		c.ord = min(c.ord, int(f.IRD))
	}
	if f.ORD != iwarp.NotNegotiated && int(f.ORD) > c.ird {
		if int(f.ORD) > c.q.Adapter.Attrs.MaxReadsIn {
			return disagree(iwarp.CauseMPAIRD, "the peer wants more reads under way than this adapter can take")
		}
		c.ird = int(f.ORD)
	}
	if f.ORD != iwarp.NotNegotiated {
		c.peerORD = int(f.ORD)
	}
	switch f.RTR {
	case iwarp.RTRWrite:
		c.shared.greeting = true
		if c.markers {
			c.shared.hello.Store(true) // the send half knows the target
			break
		}
		// The greeting is sent before anybody learns of the connection: a program that ends the connection at
		// once would otherwise leave the peer without its first frame.
		greeting := iwarp.AppendTagged(nil, iwarp.TaggedHeader{Op: iwarp.OpWrite, Last: true, STag: greetSTag, TO: greetTO}, nil, c.crc)
		if _, err := conn.Write(greeting); err != nil {
			_ = conn.Close()
			return hca.Wrap(hca.Unreachable, "connect", c.remote, "", err)
		}
	case iwarp.RTRRead:
		if f.IRD == 0 {
			return disagree(iwarp.CauseMPAIRD, "the peer wants to be greeted by a read and takes none")
		}
		c.peer.Store(peerOther)
		c.shared.greetRead = true
	default:
		return disagree(iwarp.CauseMPARTR, "the peer chose a first frame that was not offered")
	}
	return nil
}
