// Package fence has stores that cost the side in a hurry less than those of
// sync/atomic, and what the other side has to do for it.
//
// On amd64 an atomic store is an exchange, and that is a full fence: whatever comes
// behind it waits until all stores are with the cache. There are two reasons to store
// atomically, and mostly neither needs that.
//
// # Publishing
//
// Data is stored, then a word that says so; who sees the word shall see the data. That
// is [StoreRelease]. Stores of an amd64 become visible in their order, so it is an
// ordinary store; elsewhere it is the one of sync/atomic, which on arm64 is a
// store-release.
//
// # Letting go, then looking
//
// The holder of a lock stores that it is free, and then loads whether anybody has left
// word meanwhile. Who leaves word stores that, and then looks whether the lock is
// free. The two must not miss each other, and without a fence on either side they
// can: an amd64 does a load before an earlier store, if it wants. So [StoreThenLook]
// is an atomic store, by which the holder pays for the fence each time, until [Begin]
// has found that the kernel can put fences into all threads of this process (membarrier,
// Linux). From then on it is an ordinary store, and those who leave word have the fence
// made, for both, by [Other]. They are few, and it takes less than a microsecond.
//
// Why that is enough: when the kernel is asked, each thread of the holder's has either
// made its store visible, and the other side finds the lock free, or it has not loaded yet,
// and its load, behind the fence, sees the word. A thread that does not run has passed a
// fence when it was switched out. A goroutine that goes on in another thread has passed
// the locks of the scheduler.
//
// On arm64 loads and stores of sync/atomic keep their order among each other, fences or
// not, so nothing is gained or lost there. The race detector sees atomic operations only.
package fence
