package sharedmem

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca/soft/sharedmem/peerfiles"
	"github.com/godapl/godapl/internal/shm"
)

func sysIdentify(fd int) (peerfiles.ID, bool) {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Ino == 0 {
		return peerfiles.ID{}, false
	}
	return peerfiles.ID{Device: uint64(st.Dev), Inode: st.Ino}, true
}

// reopenReadOnly returns a descriptor of the same file that allows neither writing nor writable mappings.
func reopenReadOnly(fd int) (int, error) {
	name := "/proc/self/fd/" + strconv.Itoa(fd)
	again, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	why := &os.PathError{Op: "open", Path: name, Err: err}
	switch err {
	case nil:
		return again, nil
	case unix.EMFILE, unix.ENFILE, unix.ENOMEM:
		return -1, &shm.Error{Op: "open shared memory", Code: shm.ErrResources, Detail: "no descriptor is left (ulimit -n)", Err: why}
	}
	return -1, &shm.Error{Op: "open shared memory", Code: shm.ErrUnsupported, Detail: "is /proc mounted?", Err: why}
}
