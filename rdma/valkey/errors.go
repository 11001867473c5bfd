package valkey

import (
	"errors"
	"fmt"
	"net"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/internal/stream"
)

// ErrProtocol is in every error that says that the peer has broken the protocol. The connection has
// ended then.
var ErrProtocol = errors.New("the peer does not keep to the protocol of Valkey over RDMA")

// ErrReset is in the error of a Write after the connection has ended, and of a Read when it has not
// ended in an orderly way.
var ErrReset = stream.ErrReset

// network is what errors call this kind of connection.
const network = "valkey"

func protocolError(what string) error { return fmt.Errorf("%w: %s", ErrProtocol, what) }

// noImmediate is the error of adapters and connections that cannot carry the protocol.
func noImmediate(what string) error {
	return fmt.Errorf("%w: %s has no writes with immediate data, which Valkey over RDMA consists of; RoCE and InfiniBand devices have them, iWARP devices do not",
		rdma.ErrUnsupported, what)
}

// opError is the error of a call.
func (c *Conn) opError(op string, err error) error {
	return &net.OpError{Op: op, Net: network, Source: c.local, Addr: c.remote, Err: err}
}

// orderly reports whether the connection was ended by a side that wanted it to end.
func (c *Conn) orderly() bool { return c.cause == nil || errors.Is(c.cause, rdma.ErrDisconnected) }

// reset is the error of a connection that has ended.
func (c *Conn) reset() error {
	if c.orderly() {
		return ErrReset
	}
	return fmt.Errorf("%w: %w", ErrReset, c.cause)
}
