package shm_test

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/seccomptest"
	"github.com/godapl/godapl/internal/shm"
)

// TestDrainBehindAFilter that knows no preadv2: without a drain a thread that polls the event would never sleep again.
func TestDrainBehindAFilter(t *testing.T) {
	fd := made(shm.NewEvent())(t)
	defer unix.Close(fd)
	must(t, shm.Signal(fd))
	seccomptest.Without(t, unix.SYS_PREADV2, func() {
		if !shm.Drain(fd) || shm.Drain(fd) {
			t.Error("one signal was not drained once")
		}
	})
}

// TestListenBehindAFilter that knows no getsockname: package net panics if a listener has no name.
func TestListenBehindAFilter(t *testing.T) {
	seccomptest.Without(t, unix.SYS_GETSOCKNAME, func() {
		l, err := shm.Listen("@godapl-test/" + t.Name())
		if !errors.Is(err, shm.ErrDenied) || !errors.Is(err, os.ErrPermission) {
			t.Errorf("%v, want that it is denied", err)
		}
		if err == nil {
			_ = l.Close()
		}
	})
}
