package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"sync"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// server serves the files below a folder.
type server struct {
	root     *os.Root // no path leads out of it
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
	conn  *rdma.Conn
	piece *mem.Region
}

// serve answers a client until it leaves.
func (s *server) serve(ctx context.Context, r *rdma.ConnRequest) (err error) {
	c := &session{server: s}
	if c.piece, err = s.zone.Alloc(pieceSize, mem.Local); err != nil {
		return err
	}
	defer c.piece.Free()
	requests, err := s.zone.NewInbox(rdma.InboxConfig{Receives: pieces, Size: messageSize})
	if err != nil {
		return err
	}
	defer requests.Close()
	if c.conn, err = r.Accept(ctx, rdma.EndpointConfig{Inbox: requests, SendDepth: 1}); err != nil {
		return err
	}
	defer c.conn.Close()
	defer context.AfterFunc(ctx, func() { c.conn.Abort() })()
	for err == nil {
		var m rdma.Message
		if m, _, err = requests.Messages().Wait(c.conn.Context(), 1); err == nil {
			err = c.answer(ctx, m)
		}
	}
	if errors.Is(context.Cause(c.conn.Context()), rdma.ErrDisconnected) {
		return nil // the client has everything that it wanted
	}
	return err
}

// answer writes the piece that a message requests, or sends the reason why not.
func (c *session) answer(ctx context.Context, m rdma.Message) error {
	var r request
	err := m.Err()
	refusal := r.unmarshal(m.Bytes())
	m.Release() // before the answer: the client may then send the next request
	if err != nil {
		return err
	}
	n := 0
	if refusal == nil {
		n, refusal = c.read(r)
	}
	if refusal != nil {
		return c.conn.Send(ctx, c.piece.Slice(0, copy(c.piece.Bytes()[:messageSize], refusal.Error())))
	}
	err = c.conn.PostWrite(rdma.Write{From: c.piece.Slice(0, n), To: r.to.Slice(0, n), Immediate: uint32(n), Flags: rdma.WithImmediate})
	if err != nil {
		return err
	}
	written, _, err := c.conn.SendCompletions().Wait(ctx, 1)
	if err == nil {
		err = whyFailed(c.conn, &written)
	}
	return err
}

// read reads a piece of a file.
func (c *session) read(r request) (n int, err error) {
	about, err := c.root.Stat(r.file)
	if err == nil && !about.Mode().IsRegular() { // to open a pipe would wait for somebody who writes it
		err = fmt.Errorf("%s is not a regular file", r.file)
	}
	if err != nil {
		return 0, err
	}
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
