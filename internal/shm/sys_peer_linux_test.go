package shm_test

import (
	"errors"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/shm"
)

func addressOf(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// loadByte returns a function that loads the byte at off, from its word.
func loadByte(b []byte, off int) func() byte {
	word := (*uint32)(unsafe.Pointer(&b[off&^3]))
	return func() byte {
		v := atomic.LoadUint32(word)
		return (*[4]byte)(unsafe.Pointer(&v))[off&3]
	}
}

// parkOn sleeps on an event that came from elsewhere.
func parkOn(fd int) func() error {
	return func() error {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		for !shm.Drain(fd) {
			if _, err := unix.Poll(fds, -1); err != nil && !errors.Is(err, unix.EINTR) {
				return err
			}
		}
		return nil
	}
}
