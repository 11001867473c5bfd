package main

import (
	"context"
	"errors"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/godapl/godapl/rdma"
)

const (
	messageSize = 256
	// buffers is the number of the server's receives, for all clients together. A request that
	// finds none waits.
	buffers = 64
	// backlog is how many clients may dial before the first is accepted. It is as many as wait for a
	// net.Listener on Linux.
	backlog = 4096
)

// server answers requests, each on a goroutine of its own.
type server struct {
	listener *rdma.Listener
	inbox    *rdma.Inbox
	answer   func(message []byte)
	answered atomic.Int64
	work     errgroup.Group
	stop     context.CancelFunc
}

// serve answers each message that arrives at the address. answer replaces a request with its
// answer, which has the same length.
func serve(ctx context.Context, adapter *rdma.Adapter, address string, answer func([]byte)) (*server, error) {
	s := &server{answer: answer}
	zone, err := adapter.NewZone()
	if err != nil {
		return nil, err
	}
	if s.inbox, err = zone.NewInbox(rdma.InboxConfig{Receives: buffers, Size: messageSize}); err != nil {
		return nil, err
	}
	if s.listener, err = adapter.Listen(ctx, address, rdma.ListenConfig{Backlog: backlog}); err != nil {
		return nil, err
	}
	ctx, s.stop = context.WithCancel(ctx)
	s.work.Go(func() error { return s.accept(ctx) })
	s.work.Go(func() error { return s.loop(ctx) })
	return s, nil
}

func (s *server) addr() string { return s.listener.Addr().String() }

// close stops the server. Closing the adapter frees the rest.
func (s *server) close() error {
	s.stop()
	return errors.Join(s.work.Wait(), s.listener.Close())
}

// accept connects the clients. A connection is closed when its client has left.
func (s *server) accept(ctx context.Context) error {
	config := rdma.EndpointConfig{Inbox: s.inbox, SendDepth: 1, ReadsOut: -1, ReadsIn: -1}
	for conn, err := range s.listener.AcceptAll(ctx, config) {
		if err != nil {
			return unlessStopped(ctx, err)
		}
		context.AfterFunc(conn.Context(), func() { conn.Close() })
	}
	return nil
}

// loop takes the requests of all clients. There are at most as many goroutines as buffers.
func (s *server) loop(ctx context.Context) error {
	var list [buffers]rdma.Message
	for requests, err := range s.inbox.Messages().Drain(ctx, list[:]) {
		if err != nil {
			return unlessStopped(ctx, err)
		}
		for _, request := range requests {
			s.work.Go(func() error { return s.reply(ctx, request) })
		}
	}
	return nil
}

// reply writes the answer over the request, and sends it from there. After Release the memory
// is a receive again. An error means that the client has left, which is no error of the server.
func (s *server) reply(ctx context.Context, request rdma.Message) error {
	if request.Err() == nil {
		s.answer(request.Bytes())
		s.answered.Add(1) // before the client has the answer: it may be the last one
		_ = request.Endpoint.Conn().Send(ctx, request.Slice())
		if ctx.Err() != nil {
			return nil // the adapter may still use the memory
		}
	}
	request.Release()
	return nil
}

// unlessStopped is err, or nil if the server was stopped.
func unlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
