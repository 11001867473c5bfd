package rdmatest

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/godapl/godapl/internal/hca/soft/sharedmem/neighbour"
	"github.com/godapl/godapl/internal/shm"
)

// socket is one end of a stream of the world as processes of one machine use it: it carries whole messages, with
// descriptors. It implements neighbour.Socket.
type socket struct {
	e  *end
	to *passing
	in *passing
	mu sync.Mutex // of Recv: a message is read in several steps
}

// passing is what goes one way beside the bytes of a stream. The world's lock guards it.
type passing struct {
	fds    [][]int // of the messages that were sent and not received
	own    int     // the end's descriptor of the connection, until it is detached; -1: it was
	closed bool    // the receiving end is
}

// passed is the two ways of a stream; the end at i receives from the one at i.
type passed [2]*passing

func newSocket(e *end) *socket {
	w := e.s.w
	w.mu.Lock()
	defer w.mu.Unlock()
	s := e.s
	if s.passed[0] == nil {
		s.passed = passed{{own: -1}, {own: -1}}
		if fds, err := neighbour.SocketPair(); err == nil {
			s.passed[0].own, s.passed[1].own = fds[0], fds[1]
		}
	}
	at := 0
	if s.ends[1] == e {
		at = 1
	}
	return &socket{e: e, in: s.passed[at], to: s.passed[at^1]}
}

const socketHead = 4 // the length of the message

// Send implements neighbour.Socket.
func (x *socket) Send(b []byte, fds ...int) error {
	var mine []int
	for _, fd := range fds {
		d, err := neighbour.DupFD(fd)
		if err != nil {
			shm.CloseFDs(mine)
			return &shm.Error{Op: "send", Code: shm.ErrResources, Err: err}
		}
		mine = append(mine, d)
	}
	w := x.e.s.w
	w.mu.Lock()
	if x.to.closed {
		shm.CloseFDs(mine)
		mine = nil
	}
	x.to.fds = append(x.to.fds, mine)
	w.mu.Unlock()
	_, err := x.e.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...))
	return socketError("send", err)
}

// Recv implements neighbour.Socket.
func (x *socket) Recv(b []byte) (int, []int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	var head [socketHead]byte
	if _, err := io.ReadFull(x.e, head[:]); err != nil {
		return 0, nil, socketError("receive", err)
	}
	data := make([]byte, binary.BigEndian.Uint32(head[:]))
	if _, err := io.ReadFull(x.e, data); err != nil {
		return 0, nil, socketError("receive", err)
	}
	w := x.e.s.w
	w.mu.Lock()
	fds := x.in.fds[0]
	x.in.fds = x.in.fds[1:]
	w.mu.Unlock()
	if len(data) > len(b) {
		shm.CloseFDs(fds)
		return 0, nil, &shm.Error{Op: "receive", Code: shm.ErrUnfit, Detail: "the message is too long"}
	}
	return copy(b, data), fds, nil
}

// socketError is an error of a stream as one of a socket.
func socketError(op string, err error) error {
	code := shm.ErrGone
	switch {
	case err == nil, err == io.EOF:
		return err
	case errors.Is(err, net.ErrClosed):
		code = shm.ErrClosed
	case errors.Is(err, os.ErrDeadlineExceeded):
		code = shm.ErrAgain
	}
	return &shm.Error{Op: op, Code: code, Err: err}
}

// SetDeadline implements neighbour.Socket.
func (x *socket) SetDeadline(t time.Time) error { return x.e.SetDeadline(t) }

// Peer implements neighbour.Socket. All processes of a machine are this one.
func (x *socket) Peer() shm.Credentials {
	return shm.Credentials{PID: os.Getpid(), UID: os.Getuid()}
}

// Names implements neighbour.Socket.
func (x *socket) Names() (local, remote string) { return string(x.e.local), string(x.e.remote) }

// Detach implements neighbour.Socket.
func (x *socket) Detach() (int, error) {
	w := x.e.s.w
	w.mu.Lock()
	fd := x.in.own
	x.in.own = -1
	w.mu.Unlock()
	err := x.Close()
	if fd < 0 && err == nil {
		err = &shm.Error{Op: "detach socket", Code: shm.ErrResources}
	}
	return fd, err
}

// Close implements neighbour.Socket. Without Detach the peer sees the end of the connection.
func (x *socket) Close() error {
	x.e.s.w.mu.Lock()
	x.in.end()
	x.e.s.w.mu.Unlock()
	return socketError("close", x.e.Close())
}

// end closes what nobody takes any more.
func (p *passing) end() {
	p.closed = true
	for _, fds := range p.fds {
		shm.CloseFDs(fds)
	}
	p.fds = nil
	if p.own >= 0 {
		shm.CloseFD(p.own)
		p.own = -1
	}
}
