package rdma_test

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// busyServers are ways to serve requests that come one at a time. Each answers n of
// them, and takes the completions of its answers when it gets to it.
var busyServers = map[string]func(ctx context.Context, s *server, n int) error{
	// It never looks at its own sends.
	"receives alone": func(ctx context.Context, s *server, n int) error {
		var list [16]rdma.Completion
		for s.served < n && ctx.Err() == nil {
			k := s.conn.RecvCompletions().Poll(list[:])
			if k == 0 {
				runtime.Gosched()
			}
			if err := s.serve(list[:k]); err != nil {
				return err
			}
		}
		return ctx.Err()
	},
	"set": func(ctx context.Context, s *server, n int) error {
		set := event.NewSet()
		defer set.Close()
		if err := set.Add(s.conn.RecvCompletions(), s.conn.SendCompletions()); err != nil {
			return err
		}
		var list [16]rdma.Completion
		for s.served < n {
			ready, err := set.Wait(ctx)
			if err != nil {
				return err
			}
			k := ready.(*event.Dispatcher[rdma.Completion]).Poll(list[:])
			if err := s.serve(list[:k]); err != nil {
				return err
			}
		}
		return nil
	},
	"channels": func(ctx context.Context, s *server, n int) error {
		defer s.conn.RecvCompletions().StopChan()
		defer s.conn.SendCompletions().StopChan()
		for s.served < n {
			var c rdma.Completion
			select {
			case c = <-s.conn.RecvCompletions().C():
			case c = <-s.conn.SendCompletions().C():
			case <-ctx.Done():
				return ctx.Err()
			}
			if err := s.serve([]rdma.Completion{c}); err != nil {
				return err
			}
		}
		return nil
	},
}

// server answers messages.
type server struct {
	*side
	served int
}

const serverDepth = 32

func (s *server) receive(slot uint64) error {
	return s.conn.PostRecv(rdma.Recv{Into: s.mem.Slice(int(slot)*64, 64), Cookie: slot})
}

func (s *server) serve(list []rdma.Completion) error {
	for i := range list {
		c := &list[i]
		if err := c.Err(); err != nil {
			return err
		}
		if c.Op != rdma.OpRecv {
			continue
		}
		if err := s.conn.PostSend(rdma.Send{From: s.mem.Slice(int(c.Cookie)*64, 64)}); err != nil {
			return err
		}
		if err := s.receive(c.Cookie); err != nil {
			return err
		}
		s.served++
	}
	return nil
}

// TestBusyServer has servers whose completions wait, since there is always something
// else to do: none of their posts finds its queue full.
func TestBusyServer(t *testing.T) {
	names := paths
	if soft(names[0]) && runtime.GOOS == "linux" {
		names = append(slices.Clone(names), "soft-shm")
	}
	for _, name := range names {
		for how, serve := range busyServers {
			t.Run(name+"/"+how, func(t *testing.T) { busyServer(t, name, serve) })
		}
	}
}

// ask sends a request and takes its answer. The receive is there first: a device may end a
// connection whose message finds none.
func ask(ctx context.Context, x *side) error {
	if err := x.conn.PostRecv(rdma.Recv{Into: x.mem.Slice(64, 64)}); err != nil {
		return err
	}
	if err := x.conn.Send(ctx, x.mem.Slice(0, 64)); err != nil {
		return err
	}
	c, _, err := x.conn.RecvCompletions().Wait(ctx, 1)
	if err != nil {
		return err
	}
	return c.Err()
}

func busyServer(t *testing.T, name string, serve func(context.Context, *server, int) error) {
	requests := 1000
	if !strings.HasPrefix(name, "soft") {
		requests = 200 // a device of the kernel's, in a virtual machine, takes long over each
	}
	x, y := connect(t, name, func(_, p *rdma.EndpointConfig) { p.SendDepth, p.RecvDepth = serverDepth, serverDepth })
	s := &server{side: y}
	for slot := range uint64(serverDepth) {
		must(t, s.receive(slot))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*patience)
	defer cancel()
	client := make(chan error, 1)
	go func() {
		var err error
		for i := 0; i < requests && err == nil; i++ {
			err = ask(ctx, x)
		}
		client <- err
	}()
	if err := serve(ctx, s, requests); err != nil {
		cancel()
		t.Errorf("after %d requests: %v", s.served, err)
	}
	if err := <-client; err != nil && !t.Failed() {
		t.Error(err)
	}
}
