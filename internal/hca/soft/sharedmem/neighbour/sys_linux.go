package neighbour

import "golang.org/x/sys/unix"

// DupFD returns another descriptor of the same file, as another process gets it.
func DupFD(fd int) (int, error) { return unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0) }

// SocketPair returns the descriptors of a connection between two processes.
func SocketPair() (fds [2]int, err error) {
	return unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
}
