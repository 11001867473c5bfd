//go:build (!amd64 && !arm64) || race || godapl_noasm

package shm

// StoreByte is [fence.StoreRelease] of one byte. The fence is a full one, so it also
// keeps what was stored before from coming after.
func StoreByte(p *byte, v byte) {
	full()
	*p = v
}
