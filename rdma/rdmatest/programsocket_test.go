package rdmatest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"github.com/godapl/godapl/rdma/rsocket"
)

// programSocket is a stream of package rsocket, in a program. Each end writes a number of bytes that follow from their
// places, and then ends its direction.
type programSocket struct {
	p        *program
	name     string
	from, to *programHost
	conns    [2]net.Conn
	parting  bool // the first end closes when it has written, and the other end writes nothing
	small    bool // many small pieces
}

// socketLinger is longer than what is harmless: streams must not be lost by it.
const socketLinger = 30 * time.Second

func (s *programSocket) open() error {
	ctx := s.p.w.Context()
	cfg := rsocket.Config{Ring: 4096, MaxRing: 16384, Messages: 16, Linger: socketLinger}
	ln, err := rsocket.Listen(ctx, s.to.zone.Adapter(), s.to.h.Name()+":0", cfg)
	if err != nil {
		return err
	}
	accepted := make(chan net.Conn, 1)
	go func() {
		c, _ := ln.Accept()
		accepted <- c
	}()
	d := rsocket.Dialer{Adapter: s.from.zone.Adapter(), Config: cfg}
	c, err := d.DialContext(ctx, "", ln.Addr().String())
	if err != nil {
		_ = ln.Close()
		if c := <-accepted; c != nil {
			_ = c.Close()
		}
		return err
	}
	patience := time.AfterFunc(time.Minute, func() { _ = ln.Close() }) // what it needs may be lost
	s.conns = [2]net.Conn{c, <-accepted}
	patience.Stop()
	_ = ln.Close()
	if s.conns[1] == nil {
		_ = c.Close()
		return errors.New("it was not accepted")
	}
	return nil
}

func (s *programSocket) run(draw *rand.Rand, most int) {
	if s.conns[0] == nil && s.open() != nil {
		return
	}
	s.parting, s.small = draw.IntN(3) == 0, draw.IntN(3) == 0
	var all sync.WaitGroup
	for i, c := range s.conns {
		defer context.AfterFunc(s.p.w.Context(), func() { _ = c.Close() })()
		n := min(draw.IntN(20_000), most*2000)
		if i == 1 && s.parting {
			n = 0
		}
		if s.small {
			n = min(n, 3000)
		}
		writes, reads := s.p.w.Rand(fmt.Sprint(s.name, " writes ", i)), s.p.w.Rand(fmt.Sprint(s.name, " reads ", 1-i))
		all.Go(func() { s.write(c.(*rsocket.Conn), writes, n) })
		if i == 1 && s.parting {
			continue
		}
		all.Go(func() { s.read(s.conns[1-i], reads, n) })
	}
	all.Wait()
	var closing sync.WaitGroup
	for _, c := range s.conns {
		closing.Go(func() { _ = c.Close() })
	}
	closing.Wait()
	<-time.After(socketLinger + time.Second)
}

func (s *programSocket) write(c *rsocket.Conn, draw *rand.Rand, n int) {
	piece := 6000
	if s.small {
		piece = 60
	}
	for at := 0; at < n; {
		k, err := c.Write(patterns(at, min(1+draw.IntN(piece), n-at)))
		if at += k; err != nil {
			s.mayFail("write", err)
			return
		}
	}
	if s.parting {
		if c == s.conns[0] {
			if err := c.Close(); err != nil {
				s.mayFail("close", err)
			}
		}
		return
	}
	if err := c.CloseWrite(); err != nil {
		s.mayFail("end", err)
	}
}

// read reads what the peer writes, n bytes in all.
func (s *programSocket) read(c net.Conn, draw *rand.Rand, n int) {
	buf := make([]byte, 5000)
	for at := 0; ; {
		k, err := c.Read(buf[:1+draw.IntN(len(buf))])
		if more := foreign(buf[:k], at); more >= 0 || at+k > n {
			s.failf("byte %d of %d is another", at+more, n)
			return
		}
		at += k
		switch {
		case err == io.EOF && at == n:
			return
		case err == io.EOF:
			s.failf("it ended in order after %d of %d bytes, with %s", at, n, s.p.fault.name)
			return
		case err != nil:
			s.mayFail("read", err)
			_ = c.Close() // the peer's program may still write
			return
		}
		if draw.IntN(8) == 0 {
			<-time.After(time.Duration(draw.IntN(100)) * time.Millisecond)
		}
	}
}

func (s *programSocket) mayFail(what string, err error) {
	var of *net.OpError
	if s.p.fault.harmless || !errors.As(err, &of) {
		s.failf("%s: %v, with %s", what, err, s.p.fault.name)
	}
}

func (s *programSocket) failf(format string, args ...any) {
	s.p.t.Errorf("%s from %s to %s: %s", s.name, s.from.h.Name(), s.to.h.Name(), fmt.Sprintf(format, args...))
}
