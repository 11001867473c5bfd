package ibv

import "golang.org/x/sys/unix"

// NoLimit is the limit that is none.
const NoLimit = uint64(unix.RLIM_INFINITY & (1<<64 - 1))

// LockedMemoryLimit gives this process' limits of locked memory, in bytes.
func LockedMemoryLimit() (soft, hard uint64, ok bool) {
	var r unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_MEMLOCK, &r) != nil {
		return 0, 0, false
	}
	return r.Cur, r.Max, true
}
