package shm

import (
	"bytes"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ReadPeer copies from a process's memory at addr to dst, and returns the number of
// bytes. It stops at the first missing page: ErrFault. ErrDenied if the kernel does not
// permit it, ErrGone if there is no such process. A process id may be reused: call
// ReadPeer only while the connection stands. It makes one system call for at most
// PieceSize bytes; the caller loops for more.
func ReadPeer(pid int, dst []byte, addr uint64) (int, error) {
	return crossCopy("read process memory", unix.SYS_PROCESS_VM_READV, pid, dst, addr, 0)
}

// WritePeer copies src to a process's memory at addr: see [ReadPeer]. The order in
// which the bytes become visible is not defined.
func WritePeer(pid int, addr uint64, src []byte) (int, error) {
	return crossCopy("write process memory", unix.SYS_PROCESS_VM_WRITEV, pid, src, addr, 0)
}

// WritePeerLast is [WritePeer], with the last byte after all others. It is one system
// call with two parts that the kernel executes in order: a signal stops the process
// before or after the call, not between the parts.
func WritePeerLast(pid int, addr uint64, src []byte) (int, error) {
	return crossCopy("write process memory", unix.SYS_PROCESS_VM_WRITEV, pid, src, addr, 1)
}

// ProbePeer checks that this process may access the memory of process pid, and that pid
// is the expected process: at addr it holds want, which no other process can know.
func ProbePeer(pid int, addr uint64, want []byte) error {
	const op = "try process memory"
	if pid <= 0 {
		return fail(op, ErrDenied, "the peer's process cannot be seen from this pid namespace", nil)
	}
	have := make([]byte, len(want))
	n, err := ReadPeer(pid, have, addr)
	if err != nil {
		return err
	}
	if n != len(want) || !bytes.Equal(have, want) {
		return fail(op, ErrUnfit, fmt.Sprintf("process %d does not hold what the peer said", pid), nil)
	}
	// Reads and writes need the same permission, so a read suffices as the test.
	return nil
}

// crossCopy makes one system call. It uses Syscall, so that other goroutines can run on this
// processor meanwhile. The last bytes are a part of their own.
func crossCopy(op string, call uintptr, pid int, here []byte, there uint64, last int) (int, error) {
	here = here[:min(len(here), PieceSize)]
	if len(here) == 0 {
		return 0, nil
	}
	if there > uint64(^uintptr(0)) || there+uint64(len(here)) < there {
		return 0, fail(op, ErrFault, fmt.Sprintf("address %#x", there), nil)
	}
	local := unix.Iovec{Base: unsafe.SliceData(here)}
	local.SetLen(len(here))
	remote := [2]unix.RemoteIovec{{Base: uintptr(there), Len: len(here)}}
	parts := uintptr(1)
	if last > 0 && last < len(here) {
		remote[0].Len -= last
		remote[1] = unix.RemoteIovec{Base: uintptr(there) + uintptr(remote[0].Len), Len: last}
		parts = 2
	}
	for {
		n, _, errno := unix.Syscall6(call, uintptr(pid), uintptr(unsafe.Pointer(&local)), 1, uintptr(unsafe.Pointer(&remote)), parts, 0)
		switch errno {
		case 0:
			if int(n) < len(here) {
				return int(n), fail(op, ErrFault, fmt.Sprintf("the memory at %#x ends after %d bytes", there, n), nil)
			}
			return int(n), nil
		case unix.EINTR:
		case unix.EPERM:
			return 0, fail(op, ErrDenied, "the kernel forbids it (kernel.yama.ptrace_scope, a container's seccomp profile)", errno)
		case unix.ENOSYS:
			return 0, fail(op, ErrUnsupported, "", errno)
		case unix.ESRCH:
			return 0, fail(op, ErrGone, "", errno)
		case unix.EFAULT:
			return 0, fail(op, ErrFault, fmt.Sprintf("there is no memory at %#x", there), errno)
		case unix.ENOMEM:
			return 0, fail(op, ErrResources, "", errno)
		default:
			return 0, fail(op, ErrFault, "", errno)
		}
	}
}
