package main

import (
	"context"
	"errors"
	"sync"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

const (
	messageSize = 256
	// buffers are the server's, for all clients together. A request that finds none waits.
	buffers = 64
)

// server answers requests. Fields below stop belong to the goroutine that answers, until
// close has returned.
type server struct {
	listener *rdma.Listener
	config   rdma.EndpointConfig // of each connection
	memory   *mem.Region
	wait     sync.WaitGroup
	stop     context.CancelFunc

	answer   func(message []byte)
	answered int
	err      error
}

// serve answers each message that comes to the address. answer writes over the message what
// goes back.
func serve(ctx context.Context, adapter *rdma.Adapter, address string, answer func([]byte)) (*server, error) {
	s := &server{answer: answer}
	zone, err := adapter.NewZone()
	if err != nil {
		return nil, err
	}
	if s.memory, err = zone.Alloc(buffers*messageSize, mem.Local); err != nil {
		return nil, err
	}
	receives, err := zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{Depth: buffers})
	if err != nil {
		return nil, err
	}
	// A buffer is a receive or an answer, never both, so there are never more completions.
	queue, err := adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 2 * buffers})
	if err != nil {
		return nil, err
	}
	s.config = rdma.EndpointConfig{Zone: zone, SharedReceives: receives, RecvCQ: queue, SendCQ: queue, SendDepth: 1, ReadsOut: -1, ReadsIn: -1}
	for i := range uint64(buffers) {
		if err := s.receive(i); err != nil {
			return nil, err
		}
	}
	if s.listener, err = adapter.Listen(ctx, address, rdma.ListenConfig{}); err != nil {
		return nil, err
	}
	ctx, s.stop = context.WithCancel(ctx)
	s.wait.Go(func() { s.accept(ctx) })
	s.wait.Go(func() { s.err = s.loop(ctx) })
	return s, nil
}

func (s *server) addr() string { return s.listener.Addr().String() }

// close ends both goroutines. What they used ends with the adapter.
func (s *server) close() error {
	err := s.listener.Close()
	s.stop()
	s.wait.Wait()
	return errors.Join(err, s.err)
}

// accept takes clients. Each is accepted on its own goroutine: that one waits for the
// client, and the others need not.
func (s *server) accept(ctx context.Context) {
	for request := range s.listener.Requests() {
		s.wait.Go(func() {
			conn, err := request.Accept(ctx, s.config)
			if err != nil {
				return // the client has given up, and knows
			}
			select {
			case <-conn.Context().Done(): // the client has all answers
			case <-ctx.Done():
			}
			_ = conn.Close()
		})
	}
}

// loop answers what has come, many requests at a time.
func (s *server) loop(ctx context.Context) error {
	list := make([]rdma.Completion, buffers)
	for {
		n, err := s.config.RecvCQ.Dispatcher().WaitBatch(ctx, list)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		for _, done := range list[:n] {
			if err := s.turn(done); err != nil {
				return err
			}
		}
	}
}

// turn is what comes next for a buffer: its answer, or a receive again.
func (s *server) turn(done rdma.Completion) error {
	if done.Op == rdma.OpRecv && done.Err() == nil {
		message := s.memory.Slice(int(done.Cookie)*messageSize, done.Length)
		s.answer(message.Bytes())
		if err := done.Endpoint.PostSend(rdma.Send{From: message, Cookie: done.Cookie}); err == nil {
			s.answered++
			return nil
		}
	}
	// The answer is out, or the client is gone.
	return s.receive(done.Cookie)
}

func (s *server) receive(buffer uint64) error {
	return s.config.SharedReceives.PostRecv(rdma.Recv{Into: s.memory.Slice(int(buffer)*messageSize, messageSize), Cookie: buffer})
}
