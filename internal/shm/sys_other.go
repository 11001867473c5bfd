//go:build !linux

package shm

import (
	"net"
	"os"
	"syscall"
)

func notHere(op string) error {
	return fail(op, ErrUnsupported, "shared memory between processes is made on Linux only", nil)
}

func sysCreate(string, int64, int) (int, error) { return -1, notHere("create shared memory") }

func sysVerify(int) (int64, int, error) { return 0, 0, notHere("open shared memory") }

func sysMmap(int, int64, int, Access) ([]byte, error) { return nil, notHere("map shared memory") }

func sysMunmap([]byte) error { return notHere("unmap") }

func sysPunch(int, int64, int64) error { return notHere("punch") }

func sysDetach([]byte, int, int64, int) error { return notHere("detach") }

// CloseFD closes a descriptor that the caller owns.
func CloseFD(fd int) {
	if fd >= 0 {
		_ = os.NewFile(uintptr(fd), "").Close()
	}
}

const oobSize = 0

func here(op string) error { return notHere(op) }

func named(string, string, syscall.RawConn) error { return notHere("listen on this host") }

func peerOf(op string, _ *net.UnixConn) (Credentials, error) { return Credentials{}, notHere(op) }

func rights(op string, _ []byte, _ []int) ([]byte, error) { return nil, notHere(op) }

func received(op string, _ int, _ []byte, _ int) ([]int, error) { return nil, notHere(op) }

func dup(*net.UnixConn) (int, error) { return -1, notHere("detach socket") }

func netError(op, name string, err error) error { return fail(op, ErrUnsupported, name, err) }

// SendFD is Sock.Send on a detached socket.
func SendFD(int, []byte, ...int) error { return notHere("send on this host") }

// RecvFD is Sock.Recv on a detached socket.
func RecvFD(int, []byte) (int, []int, error) { return 0, nil, notHere("receive on this host") }

// NewEvent makes an event for a sleeper to park on.
func NewEvent() (int, error) { return -1, notHere("make event") }

// CheckEvent checks that a descriptor is an event.
func CheckEvent(int) error { return notHere("open event") }

// Signal makes an event readable.
func Signal(int) error { return notHere("signal event") }

// Drain makes an event unreadable again.
func Drain(int) bool { return false }

// ReadPeer copies from a process's memory.
func ReadPeer(int, []byte, uint64) (int, error) { return 0, notHere("read process memory") }

// WritePeer copies to a process's memory.
func WritePeer(int, uint64, []byte) (int, error) { return 0, notHere("write process memory") }

// WritePeerLast copies to a process's memory.
func WritePeerLast(int, uint64, []byte) (int, error) { return 0, notHere("write process memory") }

// ProbePeer checks that this process may use the memory of another one.
func ProbePeer(int, uint64, []byte) error { return notHere("try process memory") }

func strictMemory() bool { return false }

func sysMappings() (all, most int) { return 0, 0 }

func sysMostMappings() int { return 0 }

// MostDescriptors returns how many descriptors this process may have open; 0 if unknown.
func MostDescriptors() int { return 0 }
