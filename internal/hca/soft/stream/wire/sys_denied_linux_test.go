package wire

import (
	"errors"
	"net"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/seccomptest"
)

// TestNamesDenied: where a filter of system calls denies getsockname, package net makes sockets without an address, which
// nobody above expects.
func TestNamesDenied(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	seccomptest.Without(t, unix.SYS_GETSOCKNAME, func() {
		conn, err := TCP{}.Dial(t.Context(), ln.Addr().String())
		denied(t, "dial", conn != nil, err)
		l, err := TCP{}.Listen(t.Context(), "127.0.0.1:0")
		denied(t, "listen", l != nil, err)
	})
}

func denied(t *testing.T, what string, got bool, err error) {
	t.Helper()
	call, ok := errors.AsType[*os.SyscallError](err)
	if got || !ok || call.Syscall != "getsockname" || !errors.Is(err, os.ErrPermission) {
		t.Errorf("%s: %v, %v; want that getsockname is denied", what, got, err)
	}
}
