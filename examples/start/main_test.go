package main

import (
	"context"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/godapl/godapl/rdma"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestLendAndRead runs both sides, over TCP as two machines do.
func TestLendAndRead(t *testing.T) {
	ctx := context.Background()
	adapter := must(rdma.Open(ctx, "soft-tcp", rdma.OpenConfig{}))
	defer adapter.Close()
	zone := must(adapter.NewZone())
	ln := must(adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{}))
	ended := make(chan struct{})
	go func() { defer close(ended); lend(ctx, zone, ln) }()
	for range 3 {
		if text := read(ctx, zone, ln.Addr().String()); !strings.HasPrefix(text, "hello from process") || !strings.HasSuffix(text, "over tcp") {
			t.Errorf("read %q", text)
		}
	}
	ln.Close()
	<-ended
}
