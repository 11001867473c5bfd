//go:build amd64 && !godapl_noasm

package shm

// PrefetchStore asks for the cache line at an address, to store there soon. It is a hint:
// it may be any number, and nothing is read or written.
func PrefetchStore(addr uint64) {
	if prefetches {
		prefetchStore(addr)
	}
}

// prefetches is whether the processor has PREFETCHW.
var prefetches = cpuidExtended1()&(1<<8) != 0

func prefetchStore(addr uint64)

func cpuidExtended1() (ecx uint32)
