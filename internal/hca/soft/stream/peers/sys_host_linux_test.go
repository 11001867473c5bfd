package peers_test

import (
	"errors"
	"syscall"
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

// waiting is the number of bytes of this side that lie unread in the peer's socket.
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

// limitMSS limits a socket of the peer before it connects or listens.
func limitMSS(mss int) func(network, address string, raw syscall.RawConn) error {
	if mss == 0 {
		return nil
	}
	return func(_, _ string, raw syscall.RawConn) (err error) {
		cerr := raw.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_MAXSEG, mss) })
		return errors.Join(err, cerr)
	}
}

// segments is the number of TCP segments with bytes that have arrived so far.
func (p *peer) segments() int {
	p.t.Helper()
	var info *unix.TCPInfo
	raw, err := p.conn.SyscallConn()
	if err == nil {
		cerr := raw.Control(func(fd uintptr) { info, err = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO) })
		err = errors.Join(err, cerr)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return int(info.Data_segs_in)
}
