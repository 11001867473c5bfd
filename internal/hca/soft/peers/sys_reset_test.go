package peers_test

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// isReset is whether a stream was ended by a TCP reset.
func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// processTime is the processor time that this process has used, in
// microseconds.
func processTime() int64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano()/1000 + u.Stime.Nano()/1000
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
