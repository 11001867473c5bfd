package main

// #include <sys/eventfd.h>
import "C"

import (
	"syscall"
	"unsafe"
)

// bell is a descriptor that a sleeping thread polls.
type bell struct{ fd int }

func newBell() (*bell, error) {
	fd, err := C.eventfd(0, C.EFD_CLOEXEC|C.EFD_NONBLOCK)
	if fd < 0 {
		return nil, err
	}
	return &bell{fd: int(fd)}, nil
}

// ring wakes the thread. Many rings are one wake-up. It does not block.
func (b *bell) ring() {
	one := uint64(1)
	syscall.RawSyscall(syscall.SYS_WRITE, uintptr(b.fd), uintptr(unsafe.Pointer(&one)), unsafe.Sizeof(one))
}
