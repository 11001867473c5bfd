package soft

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// fileID tells files apart as long as they are open.
func fileID(fd int) (uint64, bool) {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Ino == 0 {
		return 0, false
	}
	return st.Ino, true
}

// reopenReadOnly gives a descriptor of the same file that cannot be written
// through, nor mapped for writing.
func reopenReadOnly(fd int) (int, error) {
	return unix.Open("/proc/self/fd/"+strconv.Itoa(fd), unix.O_RDONLY|unix.O_CLOEXEC, 0)
}
