package peers_test

import (
	"errors"

	"golang.org/x/sys/windows"
)

// isReset is whether a stream was ended by a TCP reset.
func isReset(err error) bool {
	return errors.Is(err, windows.WSAECONNRESET) || errors.Is(err, windows.WSAECONNABORTED)
}
