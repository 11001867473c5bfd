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
)

// TestPipe: a pipe in the folder is refused. To open one waits for a writer, and the server could not be ended.
func TestPipe(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	folder := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600); err != nil {
		t.Skip(err)
	}
	withServer(ctx, t, "soft", folder, func(c *client) {
		for _, file := range []string{"pipe", "."} {
			if err := c.get(ctx, file, io.Discard); err == nil || !strings.Contains(err.Error(), file+" is not a regular file") {
				t.Fatalf("%s: %v", file, err) // the end of the server may wait for ever
			}
		}
	})
}
