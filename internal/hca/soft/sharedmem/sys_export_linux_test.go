package sharedmem

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/shm"
)

// Given reports whether a queue pair's side gives its peer the file of a descriptor.
func Given(t testing.TB, q hca.QP, fd int) bool {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer shm.CloseFDs(pair[:])
	c := q.(*core.QP).Transport().(*Conn)
	id, _ := identify(fd)
	c.p.files.send(pair[0], c.q.PD, 0, id, true)
	var b [fileMessage]byte
	_, fds, err := shm.RecvFD(pair[1], b[:])
	if err != nil {
		t.Fatal(err)
	}
	shm.CloseFDs(fds)
	return b[0] == fileComes && len(fds) == 1
}
