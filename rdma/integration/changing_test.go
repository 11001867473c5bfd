package integration_test

import (
	"context"
	"sync"
	"testing"
)

// TestPeerReadsWhatChanges reads memory of a peer while the peer's program writes to it,
// as programs do that read each other's state. The data may be partly old and partly new;
// nothing else may go wrong.
func TestPeerReadsWhatChanges(t *testing.T) {
	for _, name := range paths {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{8, 2 << 10, 64 << 10, 1 << 20} {
				x, y := connect(t, name, 1<<20)
				ctx := within(t)
				stop, stopped := context.WithCancel(ctx)
				var writer sync.WaitGroup
				writer.Go(func() {
					for i := byte(0); stop.Err() == nil; i++ {
						b := y.mem.Bytes()[:size]
						for j := range b {
							b[j] = i
						}
					}
				})
				for range 50 {
					if _, err := x.conn.Read(ctx, x.mem.Slice(0, size), y.mem.Slice(0, size).Remote()); err != nil {
						t.Errorf("read of %d bytes that change: %v; the connection: %v", size, err, context.Cause(x.conn.Context()))
						break
					}
				}
				stopped()
				writer.Wait()
			}
		})
	}
}
