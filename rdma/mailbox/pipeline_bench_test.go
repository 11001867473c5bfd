package mailbox_test

import (
	"context"
	"sync"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// BenchmarkPipelined has 100 senders, each with 16 asks under way, and a program that takes batches.
func BenchmarkPipelined(b *testing.B) {
	for _, name := range []string{"soft-shm", "soft-tcp", "soft-loop"} {
		b.Run(name, func(b *testing.B) { pipelined[[64]byte](b, name, 100, 16) })
	}
}

func pipelined[T any](b *testing.B, name string, senders, depth int) {
	a, err := rdma.Open(context.Background(), name, rdma.OpenConfig{})
	if err != nil {
		b.Skip(err)
	}
	defer a.Close()
	box := listen(b, a, mailbox.Config[T, T]{Window: 4 * depth, Asks: depth})
	done := make(chan struct{})
	go func() {
		defer close(done)
		batch := make([]mailbox.Message[T, T], 256)
		for {
			n, err := box.ReceiveBatch(context.Background(), batch, 1)
			for _, m := range batch[:n] {
				_ = m.Reply(m.Value)
			}
			if err != nil {
				return
			}
		}
	}()
	var all []*mailbox.Sender[T, T]
	for range senders {
		all = append(all, dial(b, a, box, mailbox.DialConfig[T, T]{Window: 4 * depth, Asks: depth}))
	}
	each := b.N/senders + 1
	b.ReportAllocs()
	b.ResetTimer()
	var work sync.WaitGroup
	for _, s := range all {
		work.Go(func() {
			var v T
			ring := make([]mailbox.Pending[T, T], depth)
			for i := range each + depth {
				p := &ring[i%depth]
				if i >= depth && i-depth < each {
					if _, err := p.Wait(context.Background()); err != nil {
						b.Error(err)
						return
					}
				}
				if i < each {
					var err error
					if *p, err = s.Go(context.Background(), v); err != nil {
						b.Error(err)
						return
					}
				}
			}
		})
	}
	work.Wait()
	b.StopTimer()
	_ = box.Close()
	<-done
}
