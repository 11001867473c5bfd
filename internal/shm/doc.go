// Package shm has what two processes of one host need to work on each other's
// memory: files of memory and mappings of them, a meeting place, wake-ups, rings,
// and a way to take memory back while the other may be writing to it. It knows
// nothing of adapters; internal/hca/soft builds its path of one host from it.
//
//   - [File], [Mapping], [Segment]: memory that a descriptor stands for. It is
//     sealed, so that no process can shorten it under another one's mapping, and
//     who gets a descriptor from a peer checks that first.
//   - [Extent]: memory with a file of its own.
//   - [HoldMapping]: mappings are scarce, and the Go runtime needs some.
//   - [Listen], [Dial], [Sock]: a Unix socket by name. The kernel says whose the
//     other end is, carries descriptors, and tells at once when it is gone.
//   - [Bell]: wakes a sleeper of the other process, and costs one load if nobody
//     sleeps.
//   - [Producer], [Consumer]: a ring of small messages.
//   - [Slot], [Quiesce]: taking memory back from a peer that maps it.
//   - [Copy], [CopyLast], [Pause]: moving bytes.
//   - [ReadPeer], [WritePeer]: the kernel's copy between processes, for memory
//     that is not in a file.
//
// # Whom it trusts
//
// The kernel: whose process is at the other end (same user or nothing), that a
// sealed file keeps its size. The peer, nothing else: indices, lengths and
// stamps in shared memory are copied out, checked, and then used; what does not
// fit is [ErrCorrupt]. What a mapping cannot prevent is that a process of
// the same user writes over the memory it was given, and it keeps what it has
// mapped: the seals, slots and rights here are against accidents, and against a
// peer that crashes, stops or writes nonsense, and keep all of that from hurting
// more than the memory that was shared with it.
//
// # Memory order between processes
//
// Memory that two processes map obeys the processor's rules and not a word more:
// the race detector sees neither side. Everything here is one of two patterns.
//
// Publishing. The writer stores data, then a word (a ring's stamp, the last byte
// of a write) with [fence.StoreRelease] or [StoreByte]; who sees the word sees the
// data. On amd64 stores become visible in order, so it is an ordinary store; a locked
// one stalls for the line. On arm64 it is a store-release. Readers load the word with
// sync/atomic and the data after it.
//
// Asking each other. One side stores A and then loads B, the other stores B and
// then loads A, and they must not both miss: "I sleep" against "there is
// something", "I am inside" against "it is revoked". That needs a full fence
// on both sides, or, with [Order], none on the side that is in a hurry and a
// membarrier system call on the other: the kernel then puts a fence into
// every running thread of the processes that have registered, wherever it is. A
// thread that is not running has passed one when it was switched out. So at the
// moment of the call each thread of the fast side has either made its store visible,
// and the slow side's load sees it, or has not loaded yet, and will see the slow
// side's store.
//
// Other systems than Linux compile; every call there says [ErrUnsupported], but for the
// copies.
package shm
