package peers_test

import (
	"errors"

	"golang.org/x/sys/windows"
)

// isReset reports whether a TCP reset ended a stream.
func isReset(err error) bool {
	return errors.Is(err, windows.WSAECONNRESET) || errors.Is(err, windows.WSAECONNABORTED)
}
