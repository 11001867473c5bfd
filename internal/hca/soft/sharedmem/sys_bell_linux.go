package sharedmem

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// A bell in Go's poller wakes this side with one system call less than a bell in the adapter's poller, and with
// one goroutine switch less until the program runs. It costs a goroutine and a descriptor, so only a few
// connections of an adapter have one.

// ownBells is the number of these connections.
const ownBells = 4

// hear starts a goroutine that waits for the connection's bell. It returns false if the bell belongs to the
// adapter's poller.
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
		// The event is not read: each signal causes another edge, and a signal during the callback is not
		// lost.
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
