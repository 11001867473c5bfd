//go:build !linux

package perf

import (
	"errors"
	"os/exec"
)

// restricts reports whether processes can be kept on some processors.
const restricts = false

func startOn(int, *exec.Cmd) error { return errors.New("no way to choose processors on this system") }
