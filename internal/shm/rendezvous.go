package shm

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"time"
)

// MaxFDs is the largest number of descriptors in one message.
const MaxFDs = 8

// ServiceName is the socket name under which processes of one host find a service of an
// address. It lies in the abstract namespace of Unix sockets, which belongs to the
// network namespace, like addresses, and vanishes with the last descriptor. An IPv4
// address has one name in both of its forms; the zone of an IPv6 address is part of the
// name.
func ServiceName(addr netip.Addr, service uint64) string {
	var id [8]byte
	binary.BigEndian.PutUint64(id[:], service)
	return "@godapl/2/" + addr.Unmap().String() + "/" + hex.EncodeToString(id[:])
}

// Credentials are what the kernel reports about the process at the other end. [Dial]
// and [Listener.Accept] check the effective uid: it must be this process's and stand
// for one user only. The pid is that of the process which made the socket, in this
// process's pid namespace, 0 if it is outside.
type Credentials struct {
	PID int
	UID int
}

// A Listener accepts connections under a name. All methods may be called
// concurrently.
type Listener struct{ l *net.UnixListener }

// Listen takes a name. ErrInUse if the name is taken, by any user; ErrDenied if this
// process cannot distinguish its own user from others.
func Listen(name string) (*Listener, error) {
	const op = "listen on this host"
	if err := here(op); err != nil {
		return nil, err
	}
	if err := tellUsers(op); err != nil {
		return nil, err
	}
	lc := net.ListenConfig{Control: named}
	l, err := lc.Listen(context.Background(), "unixpacket", name)
	if err != nil {
		return nil, netError(op, name, err)
	}
	return &Listener{l.(*net.UnixListener)}, nil
}

// Accept waits for a connection of a process of the same user; others' are
// dropped. It ends with ErrClosed. ErrResources (no descriptor left) may pass.
func (l *Listener) Accept() (*Sock, error) {
	const op = "accept on this host"
	for {
		c, err := l.l.AcceptUnix()
		if err != nil {
			return nil, netError(op, l.l.Addr().String(), err)
		}
		s, err := newSock(op, c)
		if err == nil {
			return s, nil
		}
	}
}

// Close gives the name back and ends Accept. Accepted connections stay open. A second
// call is ErrClosed.
func (l *Listener) Close() error {
	if err := l.l.Close(); err != nil {
		return netError("close", l.l.Addr().String(), err)
	}
	return nil
}

// Dial connects to the listener of a name. ErrNobody if there is none, ErrOtherUser if
// it belongs to another user, ErrDenied if this process cannot tell, ErrAgain if its
// backlog stays full until the context ends.
func Dial(ctx context.Context, name string) (*Sock, error) {
	const op = "dial on this host"
	if err := here(op); err != nil {
		return nil, err
	}
	if err := tellUsers(op); err != nil {
		return nil, err
	}
	for wait := time.Millisecond; ; wait *= 2 {
		var d net.Dialer
		c, err := d.DialContext(ctx, "unixpacket", name)
		if err == nil {
			return newSock(op, c.(*net.UnixConn))
		}
		if ctx.Err() != nil || errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) {
			// The context ended while it waited for room. Which error that is depends on
			// where it was noticed first.
			return nil, fail(op, ErrAgain, name, err)
		}
		err = netError(op, name, err)
		if !errors.Is(err, ErrAgain) {
			return nil, err
		}
		// The kernel has no way to wait for room without blocking.
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(wait):
		}
	}
}

// A Sock is one end of a connection: whole messages, in order, with descriptors.
// Send and Recv may be called concurrently with each other and with Close.
type Sock struct {
	c    *net.UnixConn
	peer Credentials
}

func newSock(op string, c *net.UnixConn) (*Sock, error) {
	peer, err := peerOf(op, c)
	if own := ownUser(); err == nil && peer.UID != own {
		err = fail(op, ErrOtherUser, fmt.Sprintf("it runs as user %d, this process as %d", peer.UID, own), nil)
	}
	if err == nil {
		err = tellUsers(op)
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return &Sock{c, peer}, nil
}

// Peer is the process at the other end.
func (s *Sock) Peer() Credentials { return s.peer }

// SetDeadline bounds Send and Recv, as of net.Conn: os.ErrDeadlineExceeded.
func (s *Sock) SetDeadline(t time.Time) error { return s.c.SetDeadline(t) }

// Send sends b, at least one byte, as one message, with copies of the descriptors. It
// blocks while the peer has not received earlier messages.
func (s *Sock) Send(b []byte, fds ...int) error {
	const op = "send on this host"
	oob, err := rights(op, b, fds)
	if err != nil {
		return err
	}
	if _, _, err := s.c.WriteMsgUnix(b, oob, nil); err != nil {
		return netError(op, "", err)
	}
	return nil
}

// Recv waits for a message. Its descriptors become the caller's. A message that is
// longer than b or has more than MaxFDs descriptors is ErrUnfit, and all its
// descriptors are closed; ErrResources if this process had no room for them. io.EOF
// is the peer's end, of its process or of the socket only.
func (s *Sock) Recv(b []byte) (n int, fds []int, err error) {
	const op = "receive on this host"
	var oob [oobSize]byte
	n, oobn, flags, _, err := s.c.ReadMsgUnix(b, oob[:])
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, nil, netError(op, "", err)
	}
	// At the end, too: an empty message looks like it, and can carry descriptors.
	fds, err = received(op, n, oob[:oobn], flags)
	if err != nil {
		return 0, nil, err
	}
	return n, fds, nil
}

// Close closes the connection: the peer's Recv returns io.EOF after the messages that
// were sent.
func (s *Sock) Close() error {
	if err := s.c.Close(); err != nil {
		return netError("close", "", err)
	}
	return nil
}

// Detach takes the socket out of Go's poller and gives its descriptor, which does
// not block, to the caller: see [SendFD] and [RecvFD]. The Sock is closed.
func (s *Sock) Detach() (fd int, err error) {
	fd, err = dup(s.c)
	s.c.Close()
	return fd, err
}
