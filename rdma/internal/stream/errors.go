package stream

import (
	"errors"
	"fmt"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// ErrReset and ErrPipe are the errors that sockets have for a connection that has ended, and for
// writing to one that is closed for writing: code that looks for them goes on working.
var ErrReset, ErrPipe = errReset, errPipe

// Bytes is the memory of a slice. It is gone if the program has closed the adapter under the
// connection.
func Bytes(s mem.Slice) ([]byte, error) {
	if b := s.Bytes(); b != nil {
		return b, nil
	}
	return nil, fmt.Errorf("%w: %w", ErrReset, rdma.ErrClosed)
}

// Reset is err as the error of a connection that it ends: it matches ErrReset.
func Reset(err error) error {
	if errors.Is(err, ErrReset) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrReset, err)
}

// Cause is why the connection of an endpoint has ended: err, as the event of the end says, or rdma.ErrClosed if the program has
// closed the adapter, and the peer has ended nothing.
func Cause(ep *rdma.Endpoint, err error) error {
	if ep.State() == rdma.StateClosed {
		return rdma.ErrClosed
	}
	return err
}
