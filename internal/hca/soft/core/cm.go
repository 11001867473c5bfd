package core

import (
	"context"
	"fmt"

	"github.com/godapl/godapl/internal/hca"
)

// MaxPrivate is the private data that fits every path: siw carries 256 bytes, and the negotiation and a wide
// service number take 20 of them.
const MaxPrivate = 236

var ErrAborted = hca.NewError(hca.Closed, "connect", "", "the endpoint was disconnected or closed meanwhile")

func CheckPrivate(op string, private []byte) error {
	if len(private) > MaxPrivate {
		return hca.NewError(hca.Invalid, op, "", fmt.Sprintf("%d bytes of private data, but at most %d are possible", len(private), MaxPrivate))
	}
	return nil
}

// ErrNoReads reports that reads and atomics were not agreed; the paths share it.
func ErrNoReads(op hca.Op) error {
	return hca.NewError(hca.Unsupported, "post "+op.String(), "", "no reads or atomics were agreed for this connection: one side was made with a depth of 0")
}

// Connect connects over the first path that finds the peer.
func (q *QP) Connect(ctx context.Context, address string, p hca.ConnParams) error {
	return q.Adapter.Connect(ctx, q, address, p)
}
