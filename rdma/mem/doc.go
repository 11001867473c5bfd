// Package mem is registered memory: memory that an RDMA adapter may read and write.
//
// A [Region] (uDAPL: LMR; verbs: memory region) is memory that a zone's
// adapter knows, with [Rights] for this side and for peers. The library
// allocates it, page-aligned and outside the Go heap, or it lies over a slice
// of the caller, which stays pinned until the region is freed. Regions and
// windows are made by rdma.Zone: Alloc, Register, RegisterAgain, NewWindow.
//
// A [Slice] is a part of a region; posts take slices. A [Remote] is memory of a peer: key,
// address and length. It is made on the side that owns the memory ([Region.Remote],
// [Slice.Remote], [Window.Remote]), is sent as 20 bytes ([Remote.MarshalBinary]), and is the
// target of reads, writes and atomics.
//
// A [Window] (uDAPL: RMR) lends a part of a region to peers under its own key. Each bind
// creates a new key and revokes the former one.
//
// # Ranges
//
// Cutting a slice out of range returns a slice that is not valid, and never panics: its
// Bytes are nil, and a post refuses it with an rdma.ErrInvalid that names the numbers. So a
// computed slice can be posted without a check. The same holds for a Remote.
//
// # Who owns the bytes
//
// The program may access a region's bytes at any time, and so may the adapter while an
// operation that names them is posted. If the program reads bytes before the completion, or a
// peer reads them while the program writes, the result may be a mix of old and new data.
// Between post and completion the bytes of a receive, a read or an atomic are the adapter's;
// those of a send or a write may be read but not changed. Cancelling a context does not change
// that.
//
// # Free
//
// [Region.Free] revokes the keys at once. It waits only for copies that are under way, and
// succeeds even if posted work uses the region: that work completes with a protection error.
// Memory that the library allocated gives its pages back then, but its addresses stay reserved
// for a while and read as zeros, so that a slice from [Region.Bytes] which is used too late
// finds no data and changes none. That protection is bounded. Of memory with a mapping of its
// own the library keeps the latest 256 freed ranges, of together at most 16 GiB (64 MiB on
// 32-bit systems), and unmaps the oldest when there are more. A use after that is a fault,
// which ends the program. Of memory out of an arena it keeps the latest 4096 ranges of each
// zone, of together at most 1 GiB (64 MiB), or fewer when the system gives no more memory.
// After that, the pages may be a later region's of the same zone. It begins with zeros, but a
// late use then reads its data and writes into it. [Region.ReadAt] and [Region.WriteAt] are
// safe at any time: they return rdma.ErrClosed. Where the system has no mmap (Windows,
// WebAssembly) the memory is the heap's and late uses are harmless.
//
// # Mappings
//
// Linux bounds the mappings of a process (vm.max_map_count, 65530 as a rule), and the Go
// runtime ends a process that has none left. So small regions do not have one each:
//
//   - Regions with a remote right, and regions of 64 KiB and more, have a file of memory
//     and with it a mapping of their own, so that a process of the same host can
//     map the region and nothing else. The number of these files is at most a sixteenth of
//     the process's mappings, a quarter of its descriptors (ulimit -n), and 4096. At most
//     half of them are for regions of less than 64 KiB.
//   - All others, up to 16 MiB (1 MiB on 32-bit systems), come from arenas: large anonymous
//     mappings that hold memory of one zone only. Empty arenas are given back to the system,
//     except one that the zone keeps until it is closed.
//   - Larger regions, and regions of huge pages, always have a mapping of their own.
//
// When the library uses half of the mappings that the process may have, or the whole
// process uses seven eighths of them, allocating fails with rdma.ErrResources; the error
// names the limit. Systems other than Linux have neither the limit nor arenas.
//
// # Pages
//
// A slice may lie in pages that cannot be written, or cannot be accessed at all:
// constants, and memory that the program has mapped itself. On Linux, registering asks the
// kernel about the pages without accessing them, and fails with rdma.ErrPrivileges if the
// rights exceed what all of the pages allow. That takes about a microsecond. With kernels
// before 6.11 the library reads the list of all mappings, or, for up to 1 MiB, makes the
// pages present. Devices check the pages when they pin the memory. On other systems
// nothing is checked.
//
// If pages lose their rights later, are unmapped, or lie behind the end of a file that became
// shorter, an operation that needs them ends with a protection error, and the process
// continues: see docs/model.md. The program's own accesses, through [Region.Bytes], are
// ordinary: a fault in them ends the program as usual. [Region.ReadAt] and [Region.WriteAt]
// return rdma.ErrPrivileges.
//
// # Errors
//
// All errors are *rdma.Error and match the codes of package rdma through errors.Is. A nil
// region gives rdma.ErrInvalid.
package mem
