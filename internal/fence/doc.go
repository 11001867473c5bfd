// Package fence has stores that cost the fast side less than those of sync/atomic, and
// the operation that the slow side needs in return.
//
// On amd64 an atomic store is an exchange, which is a full fence: later operations wait
// until all stores have reached the cache. Code stores atomically for one of two
// reasons, and mostly neither needs a full fence.
//
// # Publishing
//
// Store data, then a word that announces it; a reader that sees the word must see the
// data. That is [StoreRelease]. On amd64 stores become visible in order, so it is an
// ordinary store; elsewhere it is that of sync/atomic, which on arm64 is a
// store-release.
//
// # Unlock, then look for a mark
//
// The holder of a lock stores that it is free, and then loads whether another goroutine
// has left a mark. The other goroutine stores the mark, and then loads whether the lock
// is free. At least one must see the other's store. Without a fence on either side both
// can miss: an amd64 may execute a load before an earlier store. So [StoreThenLook] is
// an atomic store, and the holder pays for the fence each time, until [Begin] has found
// that the kernel can execute fences in all threads of this process (membarrier,
// Linux). From then on it is an ordinary store, and a goroutine that leaves a mark
// requests the fence for both sides, with [Other]. Marks are rare, and the request
// takes less than a microsecond.
//
// Why that is sufficient: when the kernel executes the fences, each thread of the
// holder either has made its store visible, and the other side finds the lock free, or
// it has not loaded yet, and its load, after the fence, sees the mark. A thread that
// does not run executed a fence when it was switched out. A goroutine that continues on
// another thread has passed the locks of the scheduler.
//
// On arm64 loads and stores of sync/atomic keep their order, with or without fences, so
// nothing changes there. The race detector sees atomic operations only.
package fence
