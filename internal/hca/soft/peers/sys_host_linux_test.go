package peers_test

import (
	"errors"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// processTime is the processor time that this process has used.
func processTime(t testing.TB) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// waiting is how many octets of ours lie unread in the peer's socket.
func (p *peer) waiting() (n int) {
	p.t.Helper()
	raw, err := p.conn.SyscallConn()
	if err == nil {
		cerr := raw.Control(func(fd uintptr) { n, err = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
		err = errors.Join(err, cerr)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}
