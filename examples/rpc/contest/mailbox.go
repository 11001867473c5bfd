package contest

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// overMailbox is calls over mailboxes: the server is a loop, a call is one Ask.
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

// window is more than twice the calls under way: then an ask is acknowledged by its answer alone, and
// not by a message before.
const window = 2*MaxDepth + 2

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
	box, err := mailbox.Listen(ctx, adapter, "127.0.0.1:0", mailbox.Config[T, T]{Window: window, Asks: MaxDepth})
	if err != nil {
		return "", nil, err
	}
	var loop errgroup.Group
	loop.Go(func() error {
		for m := range box.C() {
			Answer(x.bytes(&m.Value))
			_ = m.Reply(m.Value) // an error says that the client has left
		}
		return nil
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
		to, err := mailbox.Dial(ctx, adapter, address, mailbox.DialConfig[T, T]{Window: window, Asks: MaxDepth})
		if err != nil {
			stop()
			return nil, nil, err
		}
		all = append(all, to)
		clients = append(clients, func(ctx context.Context, lanes []*Lane) error {
			return Each(lanes, func(l *Lane) error { return x.calls(ctx, to, l) })
		})
	}
	return clients, stop, nil
}

func (x mailboxes[T]) calls(ctx context.Context, to *mailbox.Sender[T, T], l *Lane) error {
	var request T
	for l.Next(x.bytes(&request)) {
		answer, err := to.Ask(ctx, request)
		if err != nil {
			return err
		}
		if err := l.Check(x.bytes(&answer)); err != nil {
			return err
		}
	}
	return nil
}
