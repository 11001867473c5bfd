//go:build amd64 && !godapl_noasm

package shm

// PrefetchStore asks for the cache line at an address, to store there soon. It is a hint:
// it may be any number, and nothing is read or written.
//
//go:noescape
func PrefetchStore(addr uint64)

// prefetches is whether the processor has PREFETCHW.
var prefetches = cpuidExtended1()&(1<<8) != 0

func cpuidExtended1() (ecx uint32)
