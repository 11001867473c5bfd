package verbs

import "github.com/godapl/godapl/internal/hca/verbs/ibv"

// What Linux's software device rxe does in its own way, seen with kernel 6.12:
//
//   - A fenced request can wait for ever: the device may miss that what it
//     waits for has ended (fence.go).
//   - Unbinding a window of type 1 needs a region (nothing.go); invalidating
//     one of type 2 that is not bound brings the kernel down (bind.go).
//   - A queue pair cannot be destroyed while a window of type 2 is bound
//     through it (renewWindows), which the specification has, too.
//   - A window grants the whole region: its bounds are not checked. A packet
//     that is being placed goes on when the window is closed: the device lets
//     the window go once it has found the region.
//   - A request that fails on this side is flushed like those behind it, and a
//     receive that fails is a local endpoint error, whatever failed.
//   - A refused access of the peer ends one receive of this side (received.go).
//   - A receive taken from a shared queue by a message that was cut off is lost.
//   - In kernel 6.1, a window of type 1 that is bound among messages that are sent again,
//     since they found no receive, may stop the connection: packets that the peer
//     has not taken are outstanding, none is sent any more, and no timer sends them again.
//     Neither messages without binds nor binds without messages do so.
//   - In kernel 6.1, a read that is refused when some packets of its answer have come is
//     asked for again, for ever, and does not fail.
const (
	// rxeVendor is its vendor number.
	rxeVendor = 0xFFFFFF
	// rxeWithInv is the flag it sets where it should set WCWithInv: the kernel's
	// number for it.
	rxeWithInv = ibv.WCFlags(1 << 2)
)
