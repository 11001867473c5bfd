// Package mem is registered memory: what an RDMA adapter may read and write.
//
// A [Region] (uDAPL: LMR; verbs: memory region) is memory that a zone's
// adapter knows, with [Rights] for this side and for peers. The library
// allocates it, page-aligned and outside the Go heap, or it lies over a slice
// of the caller, which stays pinned until the region is freed. Regions and
// windows are made by rdma.Zone: Alloc, Register, RegisterAgain, NewWindow.
//
// A [Slice] is a part of a region, and what posts take. A [Remote] is memory of
// a peer: key, address and length. It is made on the side that owns the memory
// ([Region.Remote], [Slice.Remote], [Window.Remote]), travels as 20 octets
// ([Remote.MarshalBinary]), and is what reads, writes and atomics name.
//
// A [Window] (uDAPL: RMR) lends a part of a region to peers under a key of its
// own, which is fresh with every bind and gone with the next one.
//
// # Ranges
//
// Cutting a slice out of range gives a slice that is not valid, and never
// panics: its Bytes are nil, and a post refuses it with rdma.ErrInvalid and the
// numbers. So the result of a calculation can be posted without being looked at
// first. The same holds for a Remote.
//
// # Who owns the bytes
//
// The program may touch a region's bytes at any time, and so may the adapter
// while an operation that names them is posted. What the program reads there
// before the completion, and what a peer reads while the program writes, may be
// half of the one and half of the other. Between post and completion the bytes
// of a receive, a read or an atomic are the adapter's; those of a send or a
// write may be read but not changed. Cancelling a context does not change that.
//
// # Free
//
// [Region.Free] revokes the keys at once. It waits only for copies that are
// under way, and succeeds with work posted: that work completes with a
// protection error when its turn comes. Memory that the library allocated gives
// its pages back then, but its addresses stay reserved for a while and read as
// zeros, so that a slice from [Region.Bytes] which is used too late finds no
// data, and harms nobody. That protection is bounded: the library keeps the
// latest 256 freed ranges, of together at most 16 GiB (64 MiB on 32-bit
// systems), and unmaps the oldest when there are more. A use after that is a
// fault, which ends the program. [Region.ReadAt] and [Region.WriteAt] are safe
// at any time: they return rdma.ErrClosed. Where the system has no mmap
// (Windows, WebAssembly) the memory is the heap's and late uses are harmless.
//
// # Errors
//
// All errors are *rdma.Error and match the codes of package rdma through
// errors.Is.
package mem
