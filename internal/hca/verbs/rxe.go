package verbs

import "github.com/godapl/godapl/internal/hca/verbs/ibv"

// Deviations of Linux's software device rxe, seen with kernel 6.12:
//
//   - A fenced request can wait for ever: the device may miss the end of the
//     request that it waits for (fence.go).
//   - Unbinding a window of type 1 needs a region (dummymr.go); invalidating a
//     window of type 2 that is not bound crashes the kernel (bind.go).
//   - A queue pair cannot be destroyed while a window of type 2 is bound
//     through it (renewWindows). The specification says so, too.
//   - A window grants the whole region: its bounds are not checked. A packet
//     that is being placed continues when the window is closed: the device
//     releases the window once it has found the region.
//   - A request that fails on this side is flushed like the requests after it.
//     A receive that fails is a local endpoint error, whatever the reason.
//   - A refused access of the peer ends one receive of this side (received.go).
//   - Messages and acknowledgements are handled on different threads of the kernel:
//     a request can be reported many messages after the answer to it (late.go).
//   - A receive taken from a shared queue by an incomplete message is lost.
//   - In kernel 6.1, the connection may stall when a window of type 1 is bound
//     among messages that are retransmitted for want of a receive: packets are
//     unacknowledged, nothing is sent any more, and no timer retransmits them.
//     Neither messages without binds nor binds without messages do so.
//   - In kernel 6.1, a read that is refused after some packets of its response
//     is retried for ever and does not fail.
const (
	// rxeVendor is its vendor number.
	rxeVendor = 0xFFFFFF
	// rxeWithInv is the flag it sets where it should set WCWithInv: the kernel's
	// number for it.
	rxeWithInv = ibv.WCFlags(1 << 2)
)
