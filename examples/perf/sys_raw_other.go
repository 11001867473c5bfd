//go:build !linux

package main

import (
	"errors"
	"net"
)

// rawPolls is whether there are bare system calls to compare with.
const rawPolls = false

type rawSocket struct{}

var errNoRaw = errors.New("no bare sockets on this system")

func newRawSocket(*net.TCPConn) (*rawSocket, error) { return nil, errNoRaw }

func (*rawSocket) close() {}

func rawPoll(*rawSocket, []byte) error { return errNoRaw }

func serveRawPoll(*net.TCPConn, int) error { return errNoRaw }
