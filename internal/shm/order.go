package shm

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/fence"
)

// An Order selects where the fences are when each side stores and then loads, and one of the
// two must see the other's store: see the package comment. The zero value has a fence on both
// sides: it is correct everywhere, and slower. Both sides of a connection use the same Order.
type Order struct{ asymmetric bool }

// NewOrder returns the order for a connection with a peer. peerRegistered says whether
// the peer's process has registered ([BarrierRegistered]); the peer reports that in the
// handshake.
func NewOrder(peerRegistered bool) Order {
	return Order{peerRegistered && BarrierRegistered()}
}

// BarrierRegistered registers this process, once, for other processes' barriers. It reports
// whether the kernel has accepted that.
func BarrierRegistered() bool { return fence.Begin() }

// Asymmetric reports whether the fast side has no fence.
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
