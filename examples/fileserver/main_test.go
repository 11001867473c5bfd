package main

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestFiles gets files of all kinds of sizes, and what is no file.
func TestFiles(t *testing.T) {
	folder := t.TempDir()
	contents := map[string][]byte{}
	for _, size := range []int{0, 1, pieceSize - 1, pieceSize, pieceSize + 1, 7*pieceSize + 5} {
		b := make([]byte, size)
		for i := range b {
			b[i] = byte(rand.IntN(256))
		}
		name := "file-" + strings.Repeat("x", len(contents))
		contents[name] = b
		if err := os.WriteFile(filepath.Join(folder, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"soft", "soft-tcp"} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			withServer(ctx, t, name, folder, func(c *client) {
				for file, want := range contents {
					var got bytes.Buffer
					if err := c.get(ctx, file, &got); err != nil || !bytes.Equal(got.Bytes(), want) {
						t.Errorf("%s: %d bytes of %d, or others: %v", file, got.Len(), len(want), err)
					}
				}
				for _, file := range []string{"nothing", "../x", "/etc/hostname"} {
					if err := c.get(ctx, file, io.Discard); err == nil || !strings.Contains(err.Error(), "the server says") {
						t.Errorf("%s: %v", file, err)
					}
				}
			})
		})
	}
}

func TestRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"":                 "either",
		"-serve . -get x":  "either",
		"-get x more":      "either",
		"-serve /none/":    "none",
		"-get x -from x:y": "x:y",
	} {
		err := run(context.Background(), strings.Fields(args), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("fileserver %s: %v, want %q", args, err, want)
		}
	}
}

func TestRequestsThatMakeNoSense(t *testing.T) {
	var r request
	for _, b := range [][]byte{nil, make([]byte, 8), {0, 0, 0, 0, 0, 0, 0, 0, 9, 1}, bytes.Repeat([]byte{255}, 300)} {
		if r.unmarshal(b) == nil {
			t.Errorf("%v was taken", b)
		}
	}
}
