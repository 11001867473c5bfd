//go:build !amd64 || godapl_noasm

package shm

// PrefetchStore asks for the cache line at an address. Here it does nothing.
func PrefetchStore(uint64) {}
