package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func fileOf(t *testing.T, size int) (name, sum string) {
	t.Helper()
	data := make([]byte, size)
	rand.NewChaCha8([32]byte{1}).Read(data)
	name = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s := sha256.Sum256(data)
	return name, hex.EncodeToString(s[:])
}

func TestMovesFile(t *testing.T) {
	between := "tcp"
	if runtime.GOOS == "linux" {
		between = "shm"
	}
	for _, path := range []string{"", "loop", between, "tcp"} {
		for _, size := range []int{0, 1, 3<<20 + 17} {
			name, sum := fileOf(t, size)
			var out, errs bytes.Buffer
			if err := run(within(t), []string{"-path", path, name}, &out, &errs); err != nil {
				t.Fatalf("path %q, %d bytes: %v\n%s%s", path, size, err, &out, &errs)
			}
			want := map[string]string{"": between + ", from process", "shm": "shm, from process", "tcp": "tcp, from process", "loop": "loop, both sides"}[path]
			for _, part := range []string{want, sum, "ping-pong", "median"} {
				if !strings.Contains(out.String(), part) {
					t.Errorf("path %q, %d bytes: the output lacks %q:\n%s", path, size, part, &out)
				}
			}
			if strings.ContainsAny(out.String(), "\r\x1b") || errs.Len() != 0 {
				t.Errorf("path %q: more than lines: %q %q", path, &out, &errs)
			}
		}
	}
}

func TestMovesItself(t *testing.T) {
	var out bytes.Buffer
	if err := run(within(t), nil, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if self, _ := os.Executable(); !strings.Contains(out.String(), self) {
		t.Errorf("not the executable %s:\n%s", self, &out)
	}
}

func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-path", "rdma"}, `no path "rdma"`},
		{[]string{"-path", "loop", "-listen", "127.0.0.1:0"}, "within one process"},
		{[]string{"-path", "loop", "-connect", "127.0.0.1:1"}, "within one process"},
		{[]string{"-listen", "127.0.0.1:0", "-connect", "127.0.0.1:1"}, "give one of them"},
		{[]string{"a", "b"}, "one file"},
		{[]string{dir}, "not a regular file"},
		{[]string{filepath.Join(dir, "none")}, "none"},
		{[]string{"-timeout", "1ns"}, "not done after 1ns"},
	} {
		var out bytes.Buffer
		if err := run(within(t), c.args, &out, io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.args, err, c.want)
		}
	}
}

func TestUnreadable(t *testing.T) {
	name, _ := fileOf(t, 1)
	if err := os.Chmod(name, 0); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Open(name); err == nil {
		f.Close()
		t.Skip("this user or system opens a file of mode 0: nothing is unreadable here")
	}
	if err := run(within(t), []string{name}, io.Discard, io.Discard); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%v, want a refusal", err)
	}
}

// TestFileGone: what the reader does not see, the owner's process tells.
func TestFileGone(t *testing.T) {
	var errs bytes.Buffer
	err := fetch(within(t), io.Discard, "soft", "", filepath.Join(t.TempDir(), "gone"), startProcess(&errs))
	if exit := new(exec.ExitError); !errors.As(err, &exit) || !strings.Contains(errs.String(), "gone") {
		t.Errorf("%v, want the exit status of the owner; it said %q", err, &errs)
	}
}

// TestOwnerKilled kills the owner when the transfer begins.
func TestOwnerKilled(t *testing.T) {
	name, _ := fileOf(t, 8<<20)
	var cmd *exec.Cmd
	start := func(ctx context.Context, adapter, address, file string) (string, func() error, error) {
		self, err := os.Executable()
		if err != nil {
			return "", nil, err
		}
		cmd = exec.CommandContext(ctx, self, "owner", adapter, address, file)
		return startCommand(cmd, io.Discard)
	}
	var out bytes.Buffer
	err := fetch(within(t), onLine(&out, "path", func() { cmd.Process.Kill() }), "soft", "", name, start)
	if exit := new(exec.ExitError); !errors.As(err, &exit) {
		t.Errorf("%v, want the exit status of the owner\n%s", err, &out)
	}
	if strings.Contains(out.String(), "ping-pong") {
		t.Errorf("it went on without an owner:\n%s", &out)
	}
}

// onLine calls f once a line with that beginning has been written.
func onLine(w io.Writer, beginning string, f func()) io.Writer {
	return writerFunc(func(p []byte) (int, error) {
		n, err := w.Write(p)
		if bytes.HasPrefix(p, []byte(beginning)) {
			f()
		}
		return n, err
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// A reader that chooses a free port tells which.
func TestListenTellsThePort(t *testing.T) {
	ctx, cancel := context.WithCancel(within(t))
	defer cancel()
	out := &firstText{wrote: cancel} // it has nothing else to say until an owner comes
	if err := run(ctx, []string{"-listen", "127.0.0.1:0"}, out, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the end of the context", err)
	}
	if !strings.Contains(out.text, "quickstart -connect 127.0.0.1:") || strings.Contains(out.text, ":0 ") {
		t.Errorf("%q has no port", out.text)
	}
}

type firstText struct {
	text  string
	wrote func()
}

func (f *firstText) Write(p []byte) (int, error) {
	f.text += string(p)
	f.wrote()
	return len(p), nil
}
