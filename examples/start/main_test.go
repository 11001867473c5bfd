package main

import (
	"context"
	"os"
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

// TestPageHasThisProgram: docs/start.md shows the whole program, so that it runs when pasted.
func TestPageHasThisProgram(t *testing.T) {
	program, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/start.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```go\n"+string(program)+"```\n") {
		t.Error("docs/start.md does not have main.go, word for word")
	}
}
