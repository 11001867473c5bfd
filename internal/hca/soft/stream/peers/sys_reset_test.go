//go:build !windows

package peers_test

import (
	"errors"
	"syscall"
)

// isReset reports whether a TCP reset ended a stream.
func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
