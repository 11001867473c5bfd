// Package shm lets two processes of one host work on each other's memory. It has files of
// memory and mappings of them, a rendezvous, wake-ups, rings, and a way to take memory back
// while the peer may be writing to it. It knows nothing of adapters; the software adapter
// builds its shared memory path from it.
//
//   - [File], [Mapping], [Segment]: memory behind a descriptor. The file is
//     sealed, so that no process can shorten it under a mapping of another one.
//     A process that receives a descriptor from a peer checks the seals first.
//   - [Extent]: memory with a file of its own.
//   - [HoldMapping]: counts mappings, which are limited and which the Go runtime
//     needs, too.
//   - [Listen], [Dial], [Sock]: a Unix socket by name. The kernel identifies the
//     user of the other end, carries descriptors, and reports at once when the
//     other end is gone.
//   - [Doorbell]: wakes a sleeper of the other process; it costs one load if none
//     sleeps.
//   - [Producer], [Consumer]: a ring of small messages.
//   - [Slot], [Quiesce]: taking memory back from a peer that maps it.
//   - [Copy], [CopyLast], [Pause]: moving bytes.
//   - [ReadPeer], [WritePeer]: the kernel's copy between processes, for memory
//     that is not in a file.
//
// # Trust
//
// The package trusts the kernel: it identifies the user of the other process (a
// different user is refused), and a sealed file keeps its size. It does not trust the
// peer: indices, lengths and stamps in shared memory are copied, checked, and then
// used; invalid values are [ErrCorrupt]. It cannot prevent that a process of the same user
// overwrites memory that it has mapped, or keeps the mapping.
// Seals, slots and rights protect against accidents and against a peer that crashes,
// stops or writes nonsense: they limit the damage to the memory that was shared with
// it.
//
// # Memory order between processes
//
// Memory that two processes map obeys the processor's rules only; the race detector
// sees neither side. Everything here is one of two patterns.
//
// Publishing. The writer stores data, then a word (a ring's stamp, the last byte of a
// write) with [fence.StoreRelease] or [StoreByte]; a reader that sees the word sees the
// data. On amd64 stores become visible in order, so this is an ordinary store (a locked
// store would wait for the cache line). On arm64 it is a store-release. Readers load
// the word with sync/atomic and the data after it.
//
// Store, then load, on both sides. One side stores A and then loads B, the other stores
// B and then loads A, and at least one must see the other's store: "I sleep" against "a
// message is there", "I am inside" against "it is revoked". That needs a full fence on
// both sides. Alternatively, with [Order], the fast side has no fence and the slow side
// makes a membarrier system call: the kernel then executes a fence in every running
// thread of the processes that have registered. A thread that is not running executed a
// fence when it was switched out. So at the moment of the call, each thread of the fast
// side either has made its store visible, and the slow side's load sees it, or has not
// loaded yet, and will see the slow side's store.
//
// The package compiles on other systems than Linux; there every call except the copies
// returns [ErrUnsupported].
package shm
