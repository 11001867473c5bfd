//go:build !linux

package main

import (
	"errors"
	"os"
)

// events are eventfds, which only Linux has.
type events struct {
	mine, theirs *os.File
	word         [8]byte
}

var errNoEvents = errors.New("no eventfds on this system")

func eventFiles() ([]*os.File, error) { return nil, errNoEvents }

func closeFiles([]*os.File) {}

func adopt(int, int) (*events, error) { return nil, errNoEvents }
