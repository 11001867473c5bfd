package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/godapl/godapl/rdma"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// onEveryPath runs a test on the paths of the software adapter, with a server in this process.
func onEveryPath(t *testing.T, f func(t *testing.T, adapter *rdma.Adapter, s *server)) {
	for _, name := range []string{"soft-loop", "soft-shm", "soft-tcp"} {
		t.Run(name, func(t *testing.T) {
			adapter, err := rdma.Open(t.Context(), name, rdma.OpenConfig{})
			if err != nil {
				t.Skip(err)
			}
			t.Cleanup(func() { _ = adapter.Close() })
			f(t, adapter, startServer(t, adapter, "127.0.0.1:0"))
		})
	}
}

// full is a file on a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

// TestCommand runs the program.
func TestCommand(t *testing.T) {
	adapter, err := rdma.Open(t.Context(), "soft-tcp", rdma.OpenConfig{})
	must(t, err)
	defer adapter.Close()
	s := startServer(t, adapter, "127.0.0.1:0")
	defer s.stop()
	var out bytes.Buffer
	args := []string{"-adapter", "soft-tcp", "-server", s.ln.Addr().String(), "key", "some value"}
	if err := run(t.Context(), args, &out, io.Discard); err != nil || out.String() != "some value\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	if err := run(t.Context(), args, full{}, io.Discard); err == nil || err.Error() != "no room" {
		t.Errorf("the output is lost: %v", err)
	}
}

func TestRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"":                  "a key and a value",
		"-adapter none k v": "none",
		"-adapter soft-loop -server localhost:9 k v": "localhost:9",
	} {
		if err := run(context.Background(), strings.Fields(args), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", args, err)
		}
	}
}
