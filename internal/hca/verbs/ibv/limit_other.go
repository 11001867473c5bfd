//go:build !linux

package ibv

// NoLimit is the limit that is none.
const NoLimit = ^uint64(0)

// LockedMemoryLimit is known on Linux only.
func LockedMemoryLimit() (soft, hard uint64, ok bool) { return 0, 0, false }
