//go:build !linux

package perf

import (
	"errors"
	"net"
)

// rawPolls is whether there are bare system calls to compare with.
const rawPolls = false

type rawSocket struct{}

var errNoRaw = errors.New("no bare sockets on this system")

func newRawSocket(net.Conn, <-chan struct{}) (*rawSocket, error) { return nil, errNoRaw }

func (*rawSocket) Read([]byte) (int, error)  { return 0, errNoRaw }
func (*rawSocket) Write([]byte) (int, error) { return 0, errNoRaw }
func (*rawSocket) Close() error              { return nil }
func (*rawSocket) CloseWrite() error         { return errNoRaw }

func rawPoll(*rawSocket, []byte) error { return errNoRaw }

func serveRawPoll(net.Conn, int, <-chan struct{}) error         { return errNoRaw }
func serveRawPolledStream(net.Conn, int, <-chan struct{}) error { return errNoRaw }
