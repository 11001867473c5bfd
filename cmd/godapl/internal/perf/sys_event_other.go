//go:build !linux

package perf

import (
	"errors"
	"os"
)

// hasEvents reports whether there are eventfds.
const hasEvents = false

// events are eventfds, which only Linux has.
type events struct {
	mine, theirs     *os.File
	word             [8]byte
	message, out, in []byte
}

var errNoEvents = errors.New("no eventfds on this system")

func eventFiles(int) ([]*os.File, error) { return nil, errNoEvents }

func closeFiles([]*os.File) {}

func adopt(mine, theirs, memory, bytes, side int) (*events, error) { return nil, errNoEvents }
