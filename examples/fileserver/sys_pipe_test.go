//go:build unix

package main

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
)

// TestPipe: a pipe in the folder is refused. To open one waits for a writer, and the server could not be ended.
func TestPipe(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	folder := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600); err != nil {
		t.Skip(err)
	}
	adapter, err := rdma.Open(ctx, "soft", rdma.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer adapter.Close()
	s, err := serve(ctx, adapter, "127.0.0.1:0", folder)
	if err != nil {
		t.Fatal(err)
	}
	c, err := dial(ctx, adapter, s.addr())
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"pipe", "."} {
		if err := c.get(ctx, file, io.Discard); err == nil || !strings.Contains(err.Error(), file+" is not a regular file") {
			t.Fatalf("%s: %v", file, err) // s.close may wait for ever
		}
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}
