package soft

import (
	"net"
	"sync"
	"sync/atomic"
	"syscall"
)

// newWire takes TCP and Unix sockets over, away from Go's poller: a socket that
// somebody polls must wake nobody else. Other streams get goroutines.
func (a *adapter) newWire(conn net.Conn, c *tcpConn) (wire, error) {
	var raw syscall.RawConn
	var err error
	switch s := conn.(type) { // exactly these: what wraps one wants its methods called
	case *net.TCPConn:
		raw, err = s.SyscallConn()
	case *net.UnixConn:
		raw, err = s.SyscallConn()
	default:
		return newPumpWire(conn, c.schedule), nil
	}
	if err != nil {
		return nil, err
	}
	fd, err := dupSocket(raw)
	if err != nil {
		return nil, err
	}
	_ = conn.Close() // the duplicate keeps the connection
	w := &socketWire{fd: fd, p: &a.net.poller, c: c}
	if err := w.p.add(w); err != nil {
		closeSocket(fd)
		return nil, err
	}
	return w, nil
}

// socketWire is a non-blocking socket. An event of the adapter's poller
// disarms it until arm is called, so that a socket under active polling makes
// no events at all.
type socketWire struct {
	fd int
	p  *poller
	c  *tcpConn

	armed atomic.Uint32 // what is armed now
	end   atomic.Bool   // the poller has reported an end, and nobody has looked

	mu   sync.Mutex // arm against release
	gone bool

	vec vector // for write
}

func (w *socketWire) read(p []byte) (int, error) { return recvSocket(w.fd, p) }

func (w *socketWire) write(list [][]byte) (int, error) { return sendSocket(w.fd, list, &w.vec) }

func (w *socketWire) arm(rx, tx bool) {
	want := uint32(0)
	if rx {
		want |= armRead
	}
	if tx {
		want |= armWrite
	}
	w.ask(want)
}

func (w *socketWire) armEnd(fin bool) {
	want := uint32(armLost)
	if fin {
		want |= armFin
	}
	w.ask(want)
}

func (w *socketWire) ended() (told bool, err error) {
	if !w.end.Load() || !w.end.Swap(false) {
		return false, nil
	}
	return true, socketError(w.fd)
}

// ask arms what is wanted and not armed yet.
func (w *socketWire) ask(want uint32) {
	if want == 0 {
		return
	}
	for {
		old := w.armed.Load()
		if old&want == want {
			return
		}
		if w.armed.CompareAndSwap(old, old|want) {
			want |= old
			break
		}
	}
	w.mu.Lock()
	if !w.gone {
		w.p.modify(w.fd, want)
	}
	w.mu.Unlock()
}

func (w *socketWire) release() (net.Conn, error) {
	w.mu.Lock()
	w.gone = true
	w.p.remove(w)
	w.mu.Unlock()
	return giveSocket(w.fd)
}
