package rdma_test

import (
	"net"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// bareSockets are the two ends of a connection that Go's poller does not know.
func bareSockets(b *testing.B) (x, y int) {
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	must(b, err)
	defer ln.Close()
	one, err := net.Dial("tcp4", ln.Addr().String())
	must(b, err)
	two, err := ln.Accept()
	must(b, err)
	take := func(c net.Conn) (fd int) {
		raw, err := c.(*net.TCPConn).SyscallConn()
		must(b, err)
		must(b, raw.Control(func(p uintptr) { fd, err = syscall.Dup(int(p)) }))
		must(b, err)
		c.Close()
		b.Cleanup(func() { syscall.Close(fd) })
		return fd
	}
	return take(one), take(two)
}

func bareSend(fd int, p []byte) int {
	return bareCall(unix.SYS_SENDTO, fd, p, syscall.MSG_DONTWAIT|syscall.MSG_NOSIGNAL)
}

func bareReceive(fd int, p []byte) int {
	return bareCall(unix.SYS_RECVFROM, fd, p, syscall.MSG_DONTWAIT)
}

func bareCall(trap uintptr, fd int, p []byte, flags uintptr) int {
	n, _, e := syscall.RawSyscall6(trap, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), flags, 0, 0)
	if e != 0 {
		return -1
	}
	return int(n)
}
