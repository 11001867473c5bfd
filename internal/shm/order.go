package shm

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/fence"
)

// An Order selects which side pays when a store and a load on each side must not miss
// each other: see the package comment. The zero value is correct everywhere, and
// slower. Both sides of a connection use the same Order.
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

// fast goes between a store and a load on the fast side. The surrounding operations are
// atomics or assembly, which the compiler does not reorder.
func (o Order) fast() {
	if !o.asymmetric {
		full()
	}
}

// Slow goes between a store and a load on the slow side: a fence, or a barrier call.
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
