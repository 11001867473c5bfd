package rdma

import "github.com/godapl/godapl/rdma/mem"

// Send is a message (uDAPL: dat_ep_post_send). It consumes one receive of the peer, even if it
// is empty.
type Send struct {
	// From is the message; More are further pieces that follow it. They need mem.LocalRead.
	// The list may be reused when the post has returned, the memory after the completion.
	From mem.Slice
	More []mem.Slice
	// Cookie comes back in the completion.
	Cookie uint64
	Flags  Flags
	// Immediate goes to the peer's completion, with the flag WithImmediate.
	Immediate uint32
	// Invalidate, if not 0, is a key of the peer's endpoint windows, which is
	// revoked before the peer's receive completes (uDAPL 2.0:
	// dat_ep_post_send_with_invalidate).
	Invalidate mem.Key
}

// Recv is a buffer for one message (uDAPL: dat_ep_post_recv, dat_srq_post_recv).
type Recv struct {
	// Into takes the message; More are further pieces, filled in order. They
	// need mem.LocalWrite.
	Into   mem.Slice
	More   []mem.Slice
	Cookie uint64
	// Flags may be NoWake.
	Flags Flags
}

// Read reads memory of the peer (uDAPL: dat_ep_post_rdma_read).
type Read struct {
	// Into takes From.Length bytes; More are further pieces, filled in order. They need
	// mem.LocalWrite, and mem.RemoteWrite too if Caps.ReadNeedsRemoteWrite is set (iWARP devices but siw).
	// Memory beyond From.Length is unchanged.
	Into   mem.Slice
	More   []mem.Slice
	From   mem.Remote
	Cookie uint64
	Flags  Flags
}

// Write writes memory of the peer (uDAPL: dat_ep_post_rdma_write). The peer's program is not
// notified, except by immediate data. The last byte becomes visible after all others (except
// with Linux's rxe and siw), which programs in other languages may poll for. In Go, reading
// memory while a peer writes it is a data race: wait for a completion first.
type Write struct {
	// From is written to the beginning of To; More are further pieces that
	// follow it. They need mem.LocalRead.
	From mem.Slice
	More []mem.Slice
	To   mem.Remote
	// Cookie comes back in the completion.
	Cookie uint64
	Flags  Flags
	// Immediate goes to the peer's completion, with the flag WithImmediate: the
	// write then consumes a receive of the peer.
	Immediate uint32
}

// FetchAdd atomically adds to 8 bytes of the peer and returns their former value (uDAPL:
// dat_ib_post_fetch_and_add). The address must be a multiple of 8. With the software adapter
// the number is in the byte order of the peer's processor.
type FetchAdd struct {
	// Into takes the former value: 8 bytes with mem.LocalWrite.
	Into mem.Slice
	// At is 8 bytes of the peer with mem.RemoteAtomic.
	At     mem.Remote
	Add    uint64
	Cookie uint64
	Flags  Flags
}

// CompareSwap atomically sets 8 bytes of the peer if they have the expected value, and returns
// their former value (uDAPL: dat_ib_post_cmp_and_swap). For the address and the byte order see
// FetchAdd.
type CompareSwap struct {
	// Into takes the former value: 8 bytes with mem.LocalWrite.
	Into mem.Slice
	// At is 8 bytes of the peer with mem.RemoteAtomic.
	At mem.Remote
	// Compare is the expected value, Swap the new value.
	Compare, Swap uint64
	Cookie        uint64
	Flags         Flags
}

// Bind lends memory to peers through a window, or takes it back (uDAPL:
// dat_rmr_bind).
type Bind struct {
	// Window belongs to the endpoint's zone.
	Window *mem.Window
	// To is the memory that the window covers. An empty slice unbinds.
	To mem.Slice
	// Rights of peers: mem.RemoteRead, RemoteWrite, RemoteAtomic. The region needs the
	// corresponding local rights.
	Rights mem.Rights
	Cookie uint64
	// Flags may be NoCompletion, NoWake and Fence.
	Flags Flags
}
