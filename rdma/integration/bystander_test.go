package integration_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// bystander is a connection of an adapter whose other connections are tested. It moves
// data all the time and checks it, because the tests must not affect it.
type bystander struct {
	x, y   *side
	rounds atomic.Int64
	err    atomic.Pointer[error]
}

// bystand connects an adapter with another one and works until the test ends.
func bystand(t *testing.T, a *rdma.Adapter) *bystander {
	t.Helper()
	b := &bystander{x: newSide(t, a, 1<<20), y: newSide(t, open(t, a.Name()), 1<<20)}
	join(t, b.x, b.y, rdma.EndpointConfig{}, rdma.EndpointConfig{})
	ctx, stop := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			if err := b.round(ctx, i); err != nil && ctx.Err() == nil {
				b.err.Store(&err)
				return
			}
			b.rounds.Add(1)
		}
	})
	t.Cleanup(func() {
		stop()
		work.Wait()
	})
	return b
}

func (b *bystander) round(ctx context.Context, i int) error {
	const n = 64 << 10
	out, in, there := b.x.mem.Slice(0, n), b.x.mem.Slice(n, n), b.y.mem.Slice(0, n)
	paint(out.Bytes(), i)
	if _, err := b.x.conn.Write(ctx, out, there.Remote()); err != nil {
		return err
	}
	if _, err := b.x.conn.Read(ctx, in, there.Remote()); err != nil {
		return err
	}
	if at := differs(in.Bytes(), i); at >= 0 {
		return fmt.Errorf("round %d: byte %d is wrong", i, at)
	}
	into := b.y.mem.Slice(n, 64)
	received := make(chan error, 1)
	go func() {
		_, err := b.y.conn.Recv(ctx, into)
		received <- err
	}()
	// If a completion means that the peer has the message, this waits for the receive.
	err := b.x.conn.Send(ctx, out.Slice(0, 64))
	if err := errors.Join(err, <-received); err != nil {
		return err
	}
	if at := differs(into.Bytes(), i); at >= 0 {
		return fmt.Errorf("message %d: byte %d is wrong", i, at)
	}
	return nil
}

func (b *bystander) count() int64 { return b.rounds.Load() }

// goOn waits until the bystander has made two more rounds than before.
func (b *bystander) goOn(t *testing.T, before int64) {
	t.Helper()
	eventually(t, "another connection of the adapter goes on", func() bool {
		if err := b.err.Load(); err != nil {
			t.Fatalf("another connection of the adapter: %v", *err)
		}
		return b.count() >= before+2
	})
}
