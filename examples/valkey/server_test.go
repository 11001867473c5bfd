package main

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/alicebob/miniredis/v2"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/valkey"
)

// server is a server in this process: miniredis, behind the server's side of the protocol.
type server struct {
	redis *miniredis.Miniredis
	ln    *valkey.Listener
	work  sync.WaitGroup

	mu     sync.Mutex
	conns  map[net.Conn]struct{}
	closed bool
}

func startServer(t testing.TB, adapter *rdma.Adapter, address string) *server {
	t.Helper()
	s := &server{redis: miniredis.NewMiniRedis(), conns: map[net.Conn]struct{}{}}
	must(t, s.redis.Start())
	t.Cleanup(s.redis.Close)
	s.listen(t, adapter, address)
	return s
}

// listen takes connections, and passes them on to miniredis.
func (s *server) listen(t testing.TB, adapter *rdma.Adapter, address string) {
	t.Helper()
	var err error
	s.ln, err = valkey.Listen(context.Background(), adapter, address, valkey.Config{})
	must(t, err)
	s.mu.Lock()
	s.closed = false
	s.mu.Unlock()
	s.work.Go(func() {
		for {
			c, err := s.ln.Accept()
			if err != nil {
				return
			}
			s.work.Go(func() { s.bridge(c) })
		}
	})
	t.Cleanup(s.stop)
}

// bridge copies both ways until a side ends.
func (s *server) bridge(c net.Conn) {
	defer c.Close()
	to, err := net.Dial("tcp", s.redis.Addr())
	if err != nil || !s.add(c, to) {
		return
	}
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{c, to}, {to, c}} {
		both.Go(func() {
			_, _ = io.Copy(way[0], way[1])
			_, _ = c.Close(), to.Close()
		})
	}
	both.Wait()
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
}

func (s *server) add(c, to net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = to.Close()
		return false
	}
	s.conns[c] = struct{}{}
	return true
}

// stop ends the listener and all connections.
func (s *server) stop() {
	if err := s.ln.Close(); errors.Is(err, net.ErrClosed) {
		return
	}
	s.mu.Lock()
	s.closed = true
	for c := range s.conns {
		go c.Close()
	}
	s.mu.Unlock()
	s.work.Wait()
}
