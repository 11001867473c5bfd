package sharedmem

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/progress"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/peerfiles"
	"github.com/godapl/godapl/internal/shm"
)

// Given reports whether a queue pair's side gives its peer a file. It gives an answer in any case.
func Given(t testing.TB, q hca.QP, id [2]uint64) bool {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer shm.CloseFDs(pair[:])
	c := q.(*core.QP).Transport().(*Conn)
	c.p.files.send(pair[0], c.q.PD, 0, peerfiles.ID{Device: id[0], Inode: id[1]}, true)
	var b [fileMessage]byte
	_, fds, err := shm.RecvFD(pair[1], b[:])
	if err != nil {
		t.Fatal(err)
	}
	shm.CloseFDs(fds)
	return b[0] == fileComes && len(fds) == 1
}

// QuietSocket takes the socket of a queue pair's connection out of its poller. handle does once what the poller does when
// something has arrived, and back puts the socket into the poller again.
func QuietSocket(t testing.TB, q hca.QP) (handle, back func()) {
	c := q.(*core.QP).Transport().(*Conn)
	c.a.Background.Poller.Leave(c.sock)
	return c.handleSocket, func() {
		if err := c.a.Background.Poller.Enter(c.sock, c.sockNumber, progress.ArmRead); err != nil {
			t.Fatal(err)
		}
	}
}

// Unheard is how many bytes have arrived on the socket of a queue pair's connection and were not handled.
func Unheard(t testing.TB, q hca.QP) int {
	c := q.(*core.QP).Transport().(*Conn)
	c.sockMu.Lock()
	defer c.sockMu.Unlock()
	n, err := unix.IoctlGetInt(c.sock, unix.SIOCINQ)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// SocketRun is how many messages of a socket are handled at a time.
const SocketRun = socketRun
