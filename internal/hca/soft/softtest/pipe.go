package softtest

import (
	"context"
	"net"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
)

// Pipes is a fabric of streams without sockets, for a synctest bubble. The other ends come out of Dialled, or
// go into Accepted.
type Pipes struct {
	Dialled, Accepted chan net.Conn
	Ours              func(net.Conn) net.Conn // if not nil, wraps an end that was dialed
}

func NewPipes() Pipes { return Pipes{make(chan net.Conn, 1), make(chan net.Conn, 1), nil} }

func (p Pipes) Dial(context.Context, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	p.Dialled <- theirs
	if p.Ours != nil {
		ours = p.Ours(ours)
	}
	return ours, nil
}

func (p Pipes) Listen(context.Context, string) (net.Listener, error) {
	return &pipeListener{p.Accepted, make(chan struct{})}, nil
}

type pipeListener struct {
	accepted chan net.Conn
	closed   chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepted:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { close(l.closed); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "anywhere:7"} }

// DrainPipe reads and drops all bytes.
func DrainPipe(c net.Conn) {
	var b [4096]byte
	for {
		if _, err := c.Read(b[:]); err != nil {
			return
		}
	}
}

// ReadRequest reads the request that this side sends.
func ReadRequest(t *testing.T, c net.Conn) {
	t.Helper()
	b := make([]byte, iwarp.MaxFrameLen)
	n, err := c.Read(b)
	var f iwarp.Frame
	if used, _, perr := iwarp.ParseRequest(b[:n], &f); err != nil || used == 0 {
		t.Fatalf("the request: %v, %v", err, perr)
	}
}

var Theirs = iwarp.Frame{
	Revision: iwarp.Revision2, CRC: true, Enhanced: true, PeerToPeer: true, RTR: iwarp.RTRWrite, IRD: 4, ORD: 4,
}
