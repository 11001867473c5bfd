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
	if err := run(t.Context(), []string{"-adapter", "soft-loop", "-reads", "10"}, full{}, io.Discard); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Error(err)
	}
}
