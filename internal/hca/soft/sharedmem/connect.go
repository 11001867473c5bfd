package sharedmem

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/hostport"
	"github.com/godapl/godapl/internal/shm"
)

// tryConnect connects over shared memory. If no process of this host serves the service, found is false and err tells
// why; another path may then be tried.
func (p *Path) tryConnect(ctx context.Context, q *core.QP, host string, service uint64, params hca.ConnParams) (found bool, err error) {
	address := hostport.Join(host, service)
	sock, err := p.dial(ctx, host, service)
	if err != nil {
		return false, err
	}
	stop := context.AfterFunc(ctx, func() { _ = sock.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	c, err := p.newConn(q)
	if err != nil {
		_ = sock.Close()
		return false, err
	}
	h, err := c.handshake(sock, service, params.Private)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err == nil {
		_ = sock.SetDeadline(time.Time{})
		return true, c.join(sock, h, hca.ConnInfo{Local: fmt.Sprintf("pid-%d:0", os.Getpid()), Remote: address, Private: h.private})
	}
	c.discard()
	_ = sock.Close()
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, shm.ErrGone):
		return false, errNoAnswer // it is closing, or has another version
	}
	var e *hca.Error
	if !errors.As(err, &e) {
		err = hca.Wrap(hca.Unreachable, "connect", address, "", err)
	}
	return true, err
}

// dial finds the process that listens on a service of this machine.
func (p *Path) dial(ctx context.Context, host string, service uint64) (*shm.Sock, error) {
	canonical, local := hostport.Local(host)
	if !local {
		return nil, errElsewhere
	}
	if err := p.canShare(); err != nil {
		return nil, err
	}
	names := []string{canonical, "", "127.0.0.1"}
	if canonical != "" {
		names = names[:2] // the caller names an address, so no other one is tried
	}
	var err error
	for _, n := range names {
		var s *shm.Sock
		if s, err = shm.Dial(ctx, serviceName(n, service)); !errors.Is(err, shm.ErrNobody) {
			return s, unable(err)
		}
	}
	return nil, err
}

var (
	errElsewhere = errors.New("the address is not this host's")
	errNoAnswer  = errors.New("the listener there has hung up without an answer")
)

// handshake sends the request and reads the answer.
func (c *Conn) handshake(sock *shm.Sock, service uint64, private []byte) (*helloMessage, error) {
	directory, err := c.p.directoryFD()
	if err != nil {
		return nil, err
	}
	defer shm.CloseFD(directory)
	req := c.hello(helloRequest, private)
	req.service = service
	if err := sendHello(sock, req, c.own, directory); err != nil {
		return nil, err
	}
	h, fds, err := recvHello(sock, c.a, helloAccept, 3)
	if err != nil {
		closeFDs(fds)
		return nil, err
	}
	switch h.kind {
	case helloReject:
		return nil, &hca.Error{Op: "connect", Object: c.remote, Code: hca.Rejected, Private: h.private}
	case helloRefuse:
		return nil, hca.NewError(hca.Refused, "connect", c.remote, "the listener's backlog is full, or it is closing")
	}
	c.peer.doorbell = fds[1]
	if err := c.learnPeer(sock, h, fds[2]); err != nil {
		shm.CloseFD(fds[0])
		return nil, err
	}
	if err := shm.CheckEvent(fds[1]); err != nil {
		shm.CloseFD(fds[0])
		return nil, err
	}
	seg, err := shm.OpenSegment(fds[0], segmentSize, shm.ReadWrite)
	if err != nil {
		return nil, err
	}
	if err := c.attach(seg, 0, h); err != nil {
		return nil, err
	}
	_ = seg.CloseFile()
	return h, sendHello(sock, c.hello(helloReady, nil))
}
