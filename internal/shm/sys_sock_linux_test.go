package shm_test

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/shm"
)

// sendRaw sends as a faulty peer may: without the byte that libraries add to an empty
// message. The socket cannot be used afterwards.
func sendRaw(t *testing.T, s *shm.Sock, b []byte, fds []int) {
	t.Helper()
	fd := made(s.Detach())(t)
	var vec unix.Iovec
	if len(b) > 0 {
		vec.Base = &b[0]
		vec.SetLen(len(b))
	}
	msg := unix.Msghdr{Iov: &vec, Iovlen: 1}
	if len(fds) > 0 {
		oob := unix.UnixRights(fds...)
		msg.Control = &oob[0]
		msg.SetControllen(len(oob))
	}
	if _, _, err := unix.Syscall(unix.SYS_SENDMSG, uintptr(fd), uintptr(unsafe.Pointer(&msg)), 0); err != 0 {
		t.Fatal(err)
	}
	shm.CloseFD(fd)
}

// noMoreDescriptors lowers the limit so that no further descriptor can be opened.
func noMoreDescriptors(t *testing.T) { lower(t, unix.RLIMIT_NOFILE, 0) }

func moreDescriptors(t *testing.T) {
	var old unix.Rlimit
	must(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &old))
	must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: old.Max, Max: old.Max}))
}
