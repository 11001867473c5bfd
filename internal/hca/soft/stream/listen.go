package stream

import (
	"bytes"
	"context"
	"net"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/connreq"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/errno"
	"github.com/godapl/godapl/internal/hca/soft/halfopen"
	"github.com/godapl/godapl/internal/hca/soft/stream/secure"
	"github.com/godapl/godapl/internal/iwarp"
)

// listener accepts streams and reads their requests.
type listener struct {
	p       *Path
	l       *core.Listener
	ln      net.Listener
	service uint64
	done    chan struct{}
}

func (s *listener) Serve() {
	s.done = make(chan struct{})
	bg, visitors, again := &s.p.a.Background, &s.p.halfOpen, connreq.Retry{Adapter: s.p.a}
	ctx := bg.Context()
	go hca.Labeled(s.p.a.Attrs.Name, "listen", func() {
		defer close(s.done)
		for {
			conn, err := s.ln.Accept()
			if err != nil {
				if ne, ok := err.(net.Error); ok && ne.Timeout() {
					continue
				}
				if s.l.IsClosed() || ctx.Err() != nil {
					return
				}
				if errno.NoDescriptors(err) && visitors.MakeRoom() {
					continue
				}
				if !again.Wait(err) {
					return
				}
				continue
			}
			x := visitors.Enter(conn)
			bg.Go("handshake", func() { s.handleRequest(x) })
		}
	})()
}

func (s *listener) Close() {
	_ = s.ln.Close()
	if s.done != nil {
		<-s.done
	}
}

// handleRequest reads one request and hands it to the listener.
func (s *listener) handleRequest(x *halfopen.Stream[net.Conn]) {
	conn := x.Conn
	keep := false
	defer func() {
		if !keep {
			_ = conn.Close()
		}
		x.Leave()
	}()
	stop := context.AfterFunc(s.p.a.Background.Context(), func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	var frame *iwarp.Frame
	err := s.handshake(conn)
	if err == nil {
		frame, err = s.readRequest(conn)
	}
	if err != nil {
		s.refused(x, err)
		return
	}
	r := &request{s: s, conn: conn, frame: frame}
	var ok bool
	if r.private, ok = s.checkService(frame); !ok {
		_ = r.reply(nil, wrongWide)
		s.l.Refused(r.Remote(), "the peer wants another service")
		return
	}
	if err := r.Begin(s.l.Adapter, "listen", r); err != nil {
		return
	}
	if !x.Hold() {
		_ = r.Answer("close")
		s.refused(x, halfopen.ErrEvicted)
		return
	}
	r.watchPeer()
	if keep = s.l.Deliver(r); !keep {
		x.Release() // the refusal may take a while
		if r.Answer("close") == nil {
			r.refuse()
		}
	}
}

// limit gives the peer the time for its request.
func (s *listener) limit(conn net.Conn, set func(time.Time) error) {
	_ = set(time.Now().Add(connreq.RequestTime))
	if s.p.a.Background.Context().Err() != nil {
		hasten(conn) // the adapter closes, and its own deadline may have come before
	}
}

// readRequest reads the request frame and nothing else: no bytes may follow it before the reply.
func (s *listener) readRequest(conn net.Conn) (*iwarp.Frame, error) {
	s.limit(conn, conn.SetReadDeadline)
	defer conn.SetReadDeadline(time.Time{})
	buf := make([]byte, 0, iwarp.MaxFrameLen+1)
	f := new(iwarp.Frame)
	for {
		n, err := conn.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		used, _, perr := iwarp.ParseRequest(buf, f)
		switch {
		case perr != nil && secure.IsHello(buf):
			return nil, rejectTLS(conn)
		case perr == iwarp.ErrRequestPrivateShort:
			reply, _ := iwarp.AppendReply(nil, &iwarp.Frame{Revision: iwarp.Revision2, Reject: true, CRC: true})
			_, _ = conn.Write(reply)
			return nil, perr
		case perr != nil:
			return nil, perr
		case used > 0 && used < len(buf):
			return nil, hca.NewError(hca.Refused, "accept", "", "bytes came before the reply")
		case used > 0:
			f.Private = bytes.Clone(f.Private)
			return f, nil
		case err != nil:
			return nil, err
		}
	}
}
