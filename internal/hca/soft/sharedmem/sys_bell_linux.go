package sharedmem

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// A bell that is in Go's poller itself wakes this side with one system call less than one
// in the adapter's, and with one change of goroutine less to the program. It takes a
// goroutine and a descriptor more, so only a few connections of an adapter have one.

// ownBells is how many.
const ownBells = 4

// hear has a goroutine wait for the connection's bell. It reports false if that is the
// adapter's poller's.
func (c *Conn) hear() bool {
	bells := &c.p.bells
	if bells.Add(1) > ownBells {
		bells.Add(-1)
		return false
	}
	raw, err := c.openBell()
	if err != nil {
		bells.Add(-1)
		return false
	}
	c.a.Background.Go(func() {
		// The event is not read: each signal makes another edge, and one that comes while
		// the callback runs is not forgotten.
		_ = raw.Read(func(uintptr) (closed bool) {
			c.a.Background.Rounds.Events.Add(1)
			c.Arm()
			return false
		})
		_ = c.bell.Close()
		bells.Add(-1)
	})
	return true
}

// openBell puts a copy of the descriptor into Go's poller.
func (c *Conn) openBell() (syscall.RawConn, error) {
	fd, err := unix.FcntlInt(uintptr(c.own), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	f := os.NewFile(uintptr(fd), "bell")
	raw, err := f.SyscallConn()
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	c.bell = f
	return raw, nil
}
