//go:build !windows

package peers_test

import (
	"errors"
	"syscall"
)

// isReset is whether a stream was ended by a TCP reset.
func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
