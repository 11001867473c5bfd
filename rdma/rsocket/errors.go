package rsocket

import (
	"errors"
	"fmt"
	"net"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/internal/stream"
)

// ErrProtocol matches every error for a violation of the protocol: the peer is no rsocket, or has
// sent more than it may. The connection has ended then.
var ErrProtocol = errors.New("the peer does not keep to the rsocket protocol")

// ErrReset matches the error of a Write after the peer has closed the connection, and of a Read
// after the connection has ended without a notice from the peer that it closes. If it was the program that closed
// the adapter, the error matches rdma.ErrClosed, too.
var ErrReset = stream.ErrReset

// ErrPipe matches the error of a Write after CloseWrite.
var ErrPipe = stream.ErrPipe

func protocolError(what string) error { return fmt.Errorf("%w: %s", ErrProtocol, what) }

// opError is the error of a call.
func (c *Conn) opError(op string, err error) error {
	return &net.OpError{Op: op, Net: network, Source: c.local, Addr: c.remote, Err: err}
}

// reset is the error of a connection that has ended.
func (c *Conn) reset() error {
	if c.cause == nil || errors.Is(c.cause, rdma.ErrDisconnected) {
		return ErrReset
	}
	return fmt.Errorf("%w: %w", ErrReset, c.cause)
}

// network is what errors call this kind of connection.
const network = "rsocket"
