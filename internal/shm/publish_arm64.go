//go:build arm64 && !race && !godapl_noasm

package shm

// StoreByte is [fence.StoreRelease] of one byte.
//
//go:noescape
func StoreByte(p *byte, v byte)
