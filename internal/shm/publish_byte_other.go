//go:build (!amd64 && !arm64) || race || godapl_noasm

package shm

// StoreByte is [fence.StoreRelease] of one byte. It is a full fence, so that earlier
// stores stay before it.
func StoreByte(p *byte, v byte) {
	full()
	*p = v
}
