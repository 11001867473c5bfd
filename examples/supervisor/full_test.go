package main

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// full is a file on a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

// TestLostOutput: a report that cannot be written is an error.
func TestLostOutput(t *testing.T) {
	if err := run(t.Context(), strings.Fields("-clients 1 -kills 0"), nil, full{}, io.Discard); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Error(err)
	}
}
