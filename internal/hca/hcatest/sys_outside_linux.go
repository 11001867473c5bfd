package hcatest

import (
	"time"

	"golang.org/x/sys/unix"
)

const canPoll = true

// pollDescriptors sleeps in poll(2) until one of the descriptors is readable. kicked says that the last one is, over that
// the time is.
func pollDescriptors(fds []int32, limit time.Duration) (kicked, over bool) {
	p := make([]unix.PollFd, len(fds))
	for i, fd := range fds {
		p[i] = unix.PollFd{Fd: fd, Events: unix.POLLIN | unix.POLLRDHUP}
	}
	n, _ := unix.Poll(p, int(max(limit.Milliseconds(), 0)))
	return p[len(p)-1].Revents != 0, n == 0
}
