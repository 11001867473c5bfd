package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/godapl/godapl/rdma"
)

// asProgram in the environment makes the test binary the program.
const asProgram = "START"

func TestMain(m *testing.M) {
	if args := os.Getenv(asProgram); args != "" {
		os.Args = append(os.Args[:1], strings.Fields(args)...)
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// TestRoles: a role that is neither of the two does not become a reader.
func TestRoles(t *testing.T) {
	for _, args := range []string{"lent 127.0.0.1:1", "lend", "read 127.0.0.1:1 more"} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asProgram+"="+args)
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "usage: start lend") {
			t.Errorf("start %s: %v, %s", args, err, out)
		}
	}
}

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
