package selftest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/godapl/godapl/rdma"
)

// The test binary is the other process, too.
const other = "GODAPL_SELFTEST_PARTNER"

func TestMain(m *testing.M) {
	switch name := os.Getenv(other); name {
	case "":
	case "hangs":
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(4)
	case "is alone":
		fmt.Println("path")
		return
	default:
		if err := Be(context.Background(), name, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

func TestAlone(t *testing.T) {
	for name, want := range map[string]string{"soft-loop": "loop", "soft-tcp": "tcp"} {
		if path, err := Alone(t.Context(), name, "127.0.0.1"); path != want || err != nil {
			t.Errorf("%s: path %q, %v", name, path, err)
		}
	}
	if _, err := Alone(t.Context(), "nothing0", ""); err == nil || !strings.Contains(err.Error(), "nothing0") {
		t.Errorf("an adapter that is not there: %v", err)
	}
}

// partner starts the test binary as the partner on an adapter.
func partner(name string) func(context.Context) (*exec.Cmd, error) {
	return func(ctx context.Context) (*exec.Cmd, error) {
		self, err := os.Executable()
		cmd := exec.CommandContext(ctx, self)
		cmd.Env = append(os.Environ(), other+"="+name)
		return cmd, err
	}
}

func TestProcess(t *testing.T) {
	names := map[string]string{"soft-tcp": "tcp"}
	if runtime.GOOS == "linux" {
		names["soft-shm"] = "shm"
	}
	for name, want := range names {
		if path, err := Process(t.Context(), name, partner(name)); path != want || err != nil {
			t.Errorf("%s: path %q, %v", name, path, err)
		}
	}
}

// What keeps the other process from being a partner is in the error.
func TestProcessThatFails(t *testing.T) {
	if _, err := Process(t.Context(), "soft-tcp", partner("nothing0")); err == nil || !strings.Contains(err.Error(), "nothing0") {
		t.Errorf("%v", err)
	}
	gone := errors.New("gone")
	if _, err := Process(t.Context(), "soft-tcp", func(context.Context) (*exec.Cmd, error) { return nil, gone }); !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
}

// A partner serves one client after the other, and its Close does not wait for another one.
func TestPartnerServesOneAfterTheOther(t *testing.T) {
	adapter, err := rdma.Open(t.Context(), "soft-loop", rdma.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer adapter.Close()
	p, err := Listen(t.Context(), adapter, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := Try(t.Context(), adapter, p.Addr()); err != nil {
			t.Error(err)
		}
	}
	p.Close()
	if _, err := Try(t.Context(), adapter, p.Addr()); err == nil {
		t.Error("a closed partner answers")
	}
}
