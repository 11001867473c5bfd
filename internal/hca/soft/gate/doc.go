// Package gate lets goroutines share one half of a connection without waiting for each
// other: a goroutine that finds a gate shut leaves a mark and goes on, and the goroutine
// inside sees the mark before it leaves.
//
// Send is the gate of a send half, which also counts posts; Recv is the gate of a receive half.
// SpinLock is for a few instructions. Stay is a grace period: it tells when the goroutine that
// was inside at a given moment has left. The revocation of a key waits for that.
//
// A line of code in this package may touch the words of gates and locks, and nothing else: no
// queue, no memory, no connection. It calls nothing that blocks. The package imports only
// package fence and package shm's pause, and no package of the software adapter.
package gate
