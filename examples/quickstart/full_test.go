package main

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// TestLostOutput: a report that cannot be written is an error.
func TestLostOutput(t *testing.T) {
	closed, full := io.Pipe()
	closed.CloseWithError(errors.New("no room"))
	if err := run(within(t), []string{"main.go"}, full, io.Discard); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Error(err)
	}
}
