package sharedmem

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// A doorbell in Go's poller wakes this side with one system call less than a doorbell in the adapter's poller, and with
// one goroutine switch less until the program runs: 0.75 to 0.9 of the time, however the program waits
// (docs/performance-notes.md). It costs a goroutine and a descriptor, so only a few connections of an adapter have one.

// ownBells is the number of these connections.
const ownBells = 4

// listenDoorbell starts a goroutine that waits for the connection's doorbell. It returns false if the doorbell belongs to the
// adapter's poller.
func (c *Conn) listenDoorbell() bool {
	doorbells := &c.p.doorbells
	if doorbells.Add(1) > ownBells {
		doorbells.Add(-1)
		return false
	}
	f, raw, err := c.openDoorbell()
	if err != nil {
		doorbells.Add(-1)
		return false
	}
	c.a.Background.Go("doorbell", func() {
		// The event is not read: each signal causes another edge, and a signal during the callback is not
		// lost.
		_ = raw.Read(func(uintptr) (closed bool) {
			c.a.Background.Rounds.Events.Add(1)
			c.Arm()
			return false
		})
		_ = f.Close()
		doorbells.Add(-1)
	})
	return true
}

// openDoorbell puts a copy of the descriptor into Go's poller.
func (c *Conn) openDoorbell() (*os.File, syscall.RawConn, error) {
	fd, err := unix.FcntlInt(uintptr(c.own), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("fcntl", err)
	}
	f := os.NewFile(uintptr(fd), "doorbell")
	raw, err := f.SyscallConn()
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	c.doorbell = f
	return f, raw, nil
}
