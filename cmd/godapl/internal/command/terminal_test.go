package command

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestNoTerminals: neither a file, nor a pipe, nor a closed file is a terminal.
func TestNoTerminals(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for _, to := range []io.Writer{file, w, io.Discard} {
		if Terminal(to) {
			t.Errorf("%T %v is no terminal", to, to)
		}
	}
	file.Close()
	if Terminal(file) {
		t.Error("a closed file is no terminal")
	}
}

// TestDevices: a device of characters is one.
func TestDevices(t *testing.T) {
	f, err := os.Open("/dev/null")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	if !Terminal(f) {
		t.Error("/dev/null is a device of characters")
	}
}
