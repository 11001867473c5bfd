package wire

import (
	"io"
	"net"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// DupSocket duplicates a connection's descriptor. When the original is closed, the connection is no longer in
// Go's poller.
func DupSocket(raw syscall.RawConn) (int, error) {
	fd := -1
	var derr error
	if err := raw.Control(func(p uintptr) { fd, derr = unix.FcntlInt(p, unix.F_DUPFD_CLOEXEC, 0) }); err != nil {
		return -1, err
	}
	if derr != nil {
		return -1, os.NewSyscallError("fcntl", derr)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		CloseSocket(fd)
		return -1, os.NewSyscallError("fcntl", err)
	}
	return fd, nil
}

func CloseSocket(fd int) { _ = unix.Close(fd) }

// GiveSocket turns a descriptor back into a net.Conn.
func GiveSocket(fd int) (net.Conn, error) {
	f := os.NewFile(uintptr(fd), "iwarp")
	defer f.Close() // FileConn has a duplicate
	return net.FileConn(f)
}

// RecvSocket and SendSocket use RawSyscall, because the calls cannot block: the scheduler's bookkeeping would
// cost more than an empty read. See SendSocket for the exception.

func RecvSocket(fd int, p []byte) (int, error) {
	for {
		n, _, e := syscall.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), unix.MSG_DONTWAIT, 0, 0)
		switch e {
		case 0:
			if n == 0 {
				return 0, io.EOF
			}
			raceRecvSocket(fd)
			return int(n), nil
		case unix.EAGAIN:
			return 0, ErrAgain
		case unix.EINTR:
		default:
			return 0, os.NewSyscallError("recv", e)
		}
	}
}

// Vector is the argument list of sendmsg.
type Vector struct {
	iov [64]unix.Iovec
	msg unix.Msghdr
}

// SendSocket sends the pieces of a list, at most as many as a vector holds. With record, TCP does not append
// later bytes to the last segment of these.
//
// watched says that another goroutine sleeps until the answer comes. Within the host a send wakes the peer, and the kernel may
// give it this processor in the middle of the call. The goroutine that the answer wakes then runs on another thread, and the
// two go on waking each other on idle processors. This happens less if Go's scheduler is told of the call: Syscall.
func SendSocket(fd int, list [][]byte, v *Vector, record, watched bool) (int, error) {
	flags := uintptr(unix.MSG_DONTWAIT | unix.MSG_NOSIGNAL)
	if record && len(list) <= len(v.iov) {
		flags |= unix.MSG_EOR
	}
	raceSendSocket()
	for {
		var n uintptr
		var e syscall.Errno
		if len(list) == 1 {
			b := list[0]
			if watched {
				n, _, e = syscall.Syscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), flags, 0, 0)
			} else {
				n, _, e = syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), flags, 0, 0)
			}
		} else {
			k := 0
			for _, b := range list {
				if k == len(v.iov) {
					break
				}
				v.iov[k].Base = unsafe.SliceData(b)
				v.iov[k].SetLen(len(b))
				k++
			}
			v.msg.Iov = &v.iov[0]
			v.msg.SetIovlen(k)
			if watched {
				n, _, e = syscall.Syscall(unix.SYS_SENDMSG, uintptr(fd), uintptr(unsafe.Pointer(&v.msg)), flags)
			} else {
				n, _, e = syscall.RawSyscall(unix.SYS_SENDMSG, uintptr(fd), uintptr(unsafe.Pointer(&v.msg)), flags)
			}
			clear(v.iov[:k])
		}
		switch e {
		case 0:
			return int(n), nil
		case unix.EAGAIN:
			return 0, ErrAgain
		case unix.EINTR:
		default:
			return 0, os.NewSyscallError("send", e)
		}
	}
}

// SocketError returns why a connection was lost.
func SocketError(fd int) error {
	n, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err != nil {
		return os.NewSyscallError("getsockopt", err)
	}
	if n != 0 {
		return os.NewSyscallError("connection", syscall.Errno(n))
	}
	return nil
}

// SegmentSize is the payload of one TCP segment of the connection.
func SegmentSize(fd int) int {
	n, err := unix.GetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_MAXSEG)
	if err != nil {
		return 0
	}
	return n
}

// Resent returns how many segments of a TCP connection were sent again. It reports false for other sockets.
func Resent(fd int) (uint64, bool) {
	info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return 0, false
	}
	return uint64(info.Total_retrans), true
}
