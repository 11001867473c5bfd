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
	if err := run(strings.Fields("-ia soft-loop -m wait -n 3"), full); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Error(err)
	}
}
