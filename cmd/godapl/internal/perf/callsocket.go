package perf

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// Calls over sockets: on both sides a goroutine for each connection, and bufio, which
// reads and writes several messages with one system call. Answers are flushed when there is
// nothing left to read.

// A socketClient has calls on the way over one connection.
type socketClient struct {
	c     net.Conn
	in    *bufio.Reader
	out   *bufio.Writer
	buf   []byte
	depth int
	end   callEnd
}

func (c *clients) dialSockets(ctx context.Context) (conns []*socketClient, err error) {
	do := "calls " + c.cfg.Vs
	where, err := c.tell(do)
	if err != nil {
		return nil, err
	}
	for range c.cfg.Connections {
		conn, err := dialPlain(ctx, c.cfg.Vs, where.Address)
		if err != nil {
			return conns, err
		}
		conns = append(conns, &socketClient{
			c: conn, in: bufio.NewReader(conn), out: bufio.NewWriter(conn), buf: make([]byte, c.cfg.Size),
			depth: c.cfg.Depth, end: callEnd{sent: make([]time.Time, c.cfg.Depth)},
		})
	}
	return conns, nil
}

func (s *socketClient) run(l limit, t *times) error {
	left, over, stop := l.begin()
	defer stop()
	for range min(int64(s.depth), left) {
		if err := s.call(time.Now()); err != nil {
			return err
		}
		left--
	}
	if err := s.out.Flush(); err != nil {
		return err
	}
	for s.end.out > 0 {
		if _, err := io.ReadFull(s.in, s.buf); err != nil {
			return err
		}
		now := time.Now()
		t.add(now.Sub(s.end.answered()))
		if left > 0 && !over.Load() {
			if err := s.call(now); err != nil {
				return err
			}
			left--
		}
		if s.in.Buffered() < len(s.buf) {
			if err := s.out.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *socketClient) call(now time.Time) error {
	s.end.called(now)
	_, err := s.out.Write(s.buf)
	return err
}

// serveCalls answers calls on one connection.
func serveCalls(c net.Conn, size int) error {
	in, out, buf := bufio.NewReader(c), bufio.NewWriter(c), make([]byte, size)
	for {
		if _, err := io.ReadFull(in, buf); err != nil {
			return notEOF(err)
		}
		if _, err := out.Write(buf); err != nil {
			return err
		}
		if in.Buffered() < size {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
}

// startCalls listens for connections with calls.
func (p *passive) startCalls(ctx context.Context, network string) (address string, err error) {
	ln, err := listenRaw(ctx, network)
	if err != nil {
		return "", err
	}
	p.ending(func() { ln.Close() })
	p.work.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return // closed
			}
			p.ending(func() { c.Close() })
			p.work.Go(func() {
				defer c.Close()
				if err := serveCalls(c, p.cfg.Size); err != nil && !errors.Is(err, net.ErrClosed) {
					p.failed(fmt.Errorf("calls over sockets: %w", err))
				}
			})
		}
	})
	return ln.Addr().String(), nil
}
