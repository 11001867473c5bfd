//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package event_test

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/rdma/event"
)

func readable(t *testing.T, fd int) bool {
	t.Helper()
	p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(p, 0)
	if err != nil {
		t.Fatal(err)
	}
	return n == 1
}

func TestADescriptorIsReadableWhileReady(t *testing.T) {
	s, a, b := two(t)
	b.Post("before")
	fd, err := s.Descriptor()
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := s.Descriptor(); again != fd {
		t.Fatalf("another descriptor: %d, %d", fd, again)
	}
	if !readable(t, fd) {
		t.Fatal("not readable, though a dispatcher was ready before")
	}
	post(t, a, 1)
	wantTrigger(t, s, b)
	if readable(t, fd) {
		t.Fatal("readable, though the trigger was taken")
	}
	post(t, a, 2)
	if !readable(t, fd) {
		t.Fatal("not readable after an arrival")
	}
	for range 2 {
		a.Dequeue()
	}
	if readable(t, fd) {
		t.Fatal("readable, though the dispatcher is empty")
	}
	s.Close()
	if _, err := s.Descriptor(); !errors.Is(err, event.ErrClosed) {
		t.Fatal(err)
	}
}
