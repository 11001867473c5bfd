package main

import (
	"errors"
	"strings"
	"testing"
)

// full is a file on a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

// TestLostOutput: a report that cannot be written is an error.
func TestLostOutput(t *testing.T) {
	if err := run(strings.Fields("-ia soft-loop -m wait -n 3"), full{}); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Error(err)
	}
}
