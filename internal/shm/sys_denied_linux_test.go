package shm_test

import (
	"errors"
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/seccomptest"
	"github.com/godapl/godapl/internal/shm"
)

// without runs f on a thread of its own for which a filter denies a system call, as that of an old container does.
func without(t *testing.T, call uint32, f func()) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		err := seccomptest.DenyThread(seccomptest.Call{Number: call})
		if err == nil {
			f()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Skip("there are no filters here: ", err)
	}
}

// TestDrainBehindAFilter that knows no preadv2: without a drain a thread that polls the event would never sleep again.
func TestDrainBehindAFilter(t *testing.T) {
	fd := made(shm.NewEvent())(t)
	defer unix.Close(fd)
	must(t, shm.Signal(fd))
	without(t, unix.SYS_PREADV2, func() {
		if !shm.Drain(fd) || shm.Drain(fd) {
			t.Error("one signal was not drained once")
		}
	})
}

// TestListenBehindAFilter that knows no getsockname: package net panics if a listener has no name.
func TestListenBehindAFilter(t *testing.T) {
	without(t, unix.SYS_GETSOCKNAME, func() {
		l, err := shm.Listen("@godapl-test/" + t.Name())
		if !errors.Is(err, shm.ErrDenied) || !errors.Is(err, os.ErrPermission) {
			t.Errorf("%v, want that it is denied", err)
		}
		if err == nil {
			_ = l.Close()
		}
	})
}
