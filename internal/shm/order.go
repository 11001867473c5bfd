package shm

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/fence"
)

// An Order says which side pays when both must not miss each other: see the
// package comment. The zero value is right everywhere, and the slower one. Both
// sides of a connection use the same.
type Order struct{ asymmetric bool }

// NewOrder is the order for a connection with a peer. Say whether its process
// has registered, which it tells when the connection is made: [BarrierRegistered].
func NewOrder(peerRegistered bool) Order {
	return Order{peerRegistered && BarrierRegistered()}
}

// BarrierRegistered has this process take part in other processes' barriers. It does
// so once and says whether the kernel agreed.
func BarrierRegistered() bool { return fence.Begin() }

// Asymmetric is whether the side in a hurry has no fence.
func (o Order) Asymmetric() bool { return o.asymmetric }

// fast stands between a store and a load on the side that is in a hurry. The
// operations around it are atomic ones or assembly, which the compiler does not
// reorder.
func (o Order) fast() {
	if !o.asymmetric {
		full()
	}
}

// Slow stands between a store and a load on the side that can wait: a fence, or one
// barrier call.
func (o Order) Slow() {
	if !o.asymmetric || !fence.Barrier() {
		full()
	}
}

// full is a full fence: the operation is locked, or has both acquire and release
// order, on every processor that Go knows.
func full() {
	var x atomic.Uint32
	x.Add(1)
}
