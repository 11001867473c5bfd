package sharedmem

import (
	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca/soft/progress"
	"github.com/godapl/godapl/internal/shm"
)

// Pending implements neighbour.Watched.
func (c *Conn) Pending() (rung, told, ended bool) {
	fds := []unix.PollFd{{Fd: int32(c.own), Events: unix.POLLIN}, {Fd: int32(c.sock), Events: unix.POLLIN | unix.POLLRDHUP}}
	if n, err := unix.Poll(fds, 0); n <= 0 || err != nil {
		return false, false, false
	}
	const end = unix.POLLHUP | unix.POLLRDHUP | unix.POLLERR
	return fds[0].Revents != 0, fds[1].Revents != 0, fds[1].Revents&end != 0
}

// Rung implements neighbour.Watched.
func (c *Conn) Rung() {
	c.sockMu.Lock()
	if !c.sockGone {
		shm.Drain(c.own)
	}
	c.sockMu.Unlock()
	c.a.Engine.Do(func() { (&doorbellHandler{c}).Event(0) })
}

// Told implements neighbour.Watched.
func (c *Conn) Told(ended bool) {
	c.a.Engine.Do(func() { (&sockHandler{c}).Event(socketEvents(ended)) })
}

func socketEvents(ended bool) uint32 {
	events := uint32(unix.EPOLLIN)
	if ended {
		events |= progress.AnyEnd
	}
	return events
}

// Die implements neighbour.Watched.
func (c *Conn) Die() {
	c.hungUp.Store(true)
	_ = unix.Shutdown(c.sock, unix.SHUT_RDWR)
}
