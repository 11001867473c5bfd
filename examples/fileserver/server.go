package main

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"sync"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// server gives away the files below a folder.
type server struct {
	root     *os.Root // which nobody can name a way out of
	zone     *rdma.Zone
	listener *rdma.Listener
	wait     sync.WaitGroup
	stop     context.CancelFunc
}

// serve serves a folder, each client on a goroutine of its own.
func serve(ctx context.Context, adapter *rdma.Adapter, address, folder string) (*server, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	s := &server{root: root}
	if s.zone, err = adapter.NewZone(); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	if s.listener, err = adapter.Listen(ctx, address, rdma.ListenConfig{}); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	ctx, s.stop = context.WithCancel(ctx)
	s.wait.Go(func() {
		for r := range s.listener.Requests() {
			s.wait.Go(func() {
				if err := s.serve(ctx, r); err != nil && ctx.Err() == nil {
					log.Print("fileserver: ", err)
				}
			})
		}
	})
	return s, nil
}

func (s *server) addr() string { return s.listener.Addr().String() }

func (s *server) close() error {
	err := s.listener.Close()
	s.stop()
	s.wait.Wait()
	return errors.Join(err, s.root.Close())
}

// session is one client.
type session struct {
	*server
	conn     *rdma.Conn
	endpoint *rdma.Endpoint
	requests *mem.Region
	piece    *mem.Region
}

// serve answers a client until it goes.
func (s *server) serve(ctx context.Context, r *rdma.ConnRequest) (err error) {
	c := &session{server: s}
	if c.requests, err = s.zone.Alloc(pieces*messageSize, mem.Local); err != nil {
		return err
	}
	defer c.requests.Free()
	if c.piece, err = s.zone.Alloc(pieceSize, mem.Local); err != nil {
		return err
	}
	defer c.piece.Free()
	if c.endpoint, err = s.zone.Adapter().NewEndpoint(rdma.EndpointConfig{Zone: s.zone, RecvDepth: pieces, SendDepth: 1}); err != nil {
		return err
	}
	defer c.endpoint.Close()
	for i := range uint64(pieces) { // before the client can send
		if err := c.receive(i); err != nil {
			return err
		}
	}
	if c.conn, err = r.AcceptOn(ctx, c.endpoint, rdma.ConnConfig{}); err != nil {
		return err
	}
	for err == nil {
		var done rdma.Completion
		if done, _, err = c.conn.RecvCompletions().Wait(ctx, 1); err == nil {
			err = c.answer(ctx, done)
		}
	}
	if errors.Is(context.Cause(c.conn.Context()), rdma.ErrDisconnected) {
		return nil // the client has all it wants
	}
	return err
}

func (c *session) receive(i uint64) error {
	return c.endpoint.PostRecv(rdma.Recv{Into: c.requests.Slice(int(i)*messageSize, messageSize), Cookie: i})
}

// answer writes the piece that was asked for, or sends why not.
func (c *session) answer(ctx context.Context, done rdma.Completion) error {
	if err := done.Err(); err != nil {
		return err
	}
	var r request
	n, refusal := 0, r.unmarshal(c.requests.Bytes()[done.Cookie*messageSize:][:done.Length])
	if refusal == nil {
		n, refusal = c.read(r)
	}
	// The request's memory is free again before the client can send another one.
	if err := c.receive(done.Cookie); err != nil {
		return err
	}
	if refusal != nil {
		return c.conn.Send(ctx, c.piece.Slice(0, copy(c.piece.Bytes()[:messageSize], refusal.Error())))
	}
	err := c.conn.PostWrite(rdma.Write{From: c.piece.Slice(0, n), To: r.to.Slice(0, n), Immediate: uint32(n), Flags: rdma.WithImmediate})
	if err != nil {
		return err
	}
	written, _, err := c.conn.SendCompletions().Wait(ctx, 1)
	if err == nil {
		err = written.Err()
	}
	return err
}

// read reads a piece of a file.
func (c *session) read(r request) (n int, err error) {
	f, err := c.root.Open(r.file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n, err = f.ReadAt(c.piece.Bytes()[:min(pieceSize, r.to.Length)], r.offset)
	if err == io.EOF {
		err = nil
	}
	return n, err
}
