package contest

import (
	"context"
	"fmt"
	"net"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// overMailbox is calls over mailboxes. The server is a loop that takes batches. A client with one call
// under way asks; one that pipelines is one goroutine, too, as with a socket: see pipeline.
func overMailbox(name, adapter, against string) Contender {
	small := mailboxes[[64]byte]{adapter, func(v *[64]byte) []byte { return v[:] }}
	large := mailboxes[[4096]byte]{adapter, func(v *[4096]byte) []byte { return v[:] }}
	return Contender{
		Name: name, Against: against, Inside: adapter == "soft-loop",
		Serve: func(ctx context.Context, size int) (string, func(), error) {
			switch size {
			case 64:
				return small.serve(ctx)
			case 4096:
				return large.serve(ctx)
			}
			return "", nil, fmt.Errorf("mailboxes here have values of 64 or 4096 bytes, not %d", size)
		},
		Dial: func(ctx context.Context, address string, s Setting) ([]Client, func(), error) {
			if s.Size == 64 {
				return small.dial(ctx, address, s)
			}
			return large.dial(ctx, address, s)
		},
	}
}

// window is how many values of a client that has so many calls under way may be: a quarter of it fits a
// message, so all calls do. Then an ask is acknowledged by its answer alone, and not by a message before.
func window(depth int) int { return max(16, 4*depth) }

// batch is how many messages the server takes at a time.
const batch = 256

// mailboxes carry values of a plain type.
type mailboxes[T any] struct {
	adapter string
	bytes   func(*T) []byte
}

func (x mailboxes[T]) serve(ctx context.Context) (string, func(), error) {
	adapter, err := rdma.Open(ctx, x.adapter, rdma.OpenConfig{})
	if err != nil {
		return "", nil, err
	}
	host := "127.0.0.1"
	if !strings.HasPrefix(x.adapter, "soft-") {
		host = adapter.Attributes().Address
	}
	box, err := mailbox.Listen(ctx, adapter, net.JoinHostPort(host, "0"), mailbox.Config[T, T]{Window: window(MaxDepth), Asks: MaxDepth})
	if err != nil {
		return "", nil, err
	}
	var loop errgroup.Group
	loop.Go(func() error {
		ms := make([]mailbox.Message[T, T], batch)
		for {
			n, err := box.ReceiveBatch(ctx, ms, 1)
			for i := range ms[:n] {
				Answer(x.bytes(&ms[i].Value))
				_ = ms[i].Reply(ms[i].Value) // an error says that the client has left
			}
			if err != nil {
				return nil // stopped
			}
		}
	})
	return box.Addr().String(), func() {
		box.Close()
		_ = loop.Wait()
		adapter.Close()
	}, nil
}

func (x mailboxes[T]) dial(ctx context.Context, address string, s Setting) (clients []Client, stop func(), err error) {
	adapter, err := rdma.Open(ctx, x.adapter, rdma.OpenConfig{})
	if err != nil {
		return nil, nil, err
	}
	var all []*mailbox.Sender[T, T]
	stop = func() {
		var closing errgroup.Group
		for _, to := range all {
			closing.Go(to.Close)
		}
		_ = closing.Wait()
		adapter.Close()
	}
	for range s.Clients {
		to, err := mailbox.Dial(ctx, adapter, address, mailbox.DialConfig[T, T]{Window: window(s.Depth), Asks: s.Depth})
		if err != nil {
			stop()
			return nil, nil, err
		}
		all = append(all, to)
		clients = append(clients, func(ctx context.Context, lanes []*Lane) error {
			if len(lanes) == 1 {
				return x.calls(ctx, to, lanes[0])
			}
			return x.pipeline(ctx, to, lanes)
		})
	}
	return clients, stop, nil
}

func (x mailboxes[T]) calls(ctx context.Context, to *mailbox.Sender[T, T], l *Lane) error {
	var request, answer T // x.bytes moves them to the heap, once
	var err error
	for l.Next(x.bytes(&request)) {
		if answer, err = to.Ask(ctx, request); err != nil {
			return err
		}
		if err := l.Check(x.bytes(&answer)); err != nil {
			return err
		}
	}
	return nil
}

// pipeline makes the calls of all lanes in one goroutine. It takes the oldest answer and makes the next
// call of its lane; what it sends leaves when there is no answer to take.
func (x mailboxes[T]) pipeline(ctx context.Context, to *mailbox.Sender[T, T], lanes []*Lane) (err error) {
	var request, answer T // x.bytes moves them to the heap, once
	pending := make([]mailbox.Pending[T, T], len(lanes))
	open := make([]int, 0, len(lanes)) // lanes with a call, oldest first
	for i := range lanes {
		open = append(open, i)
	}
	for started := false; len(open) > 0; started = true {
		still := open[:0]
		for _, i := range open {
			if started {
				if answer, err = pending[i].Wait(ctx); err != nil {
					return err
				}
				if err := lanes[i].Check(x.bytes(&answer)); err != nil {
					return err
				}
			}
			if lanes[i].Next(x.bytes(&request)) {
				if pending[i], err = to.Go(ctx, request); err != nil {
					return err
				}
				still = append(still, i)
			}
		}
		open = still
	}
	return nil
}
