package sharedmem

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/connreq"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/hostport"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/neighbour"
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
	c.remote = address
	h, err := c.handshake(sock, service, params.Private)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err == nil {
		_ = sock.SetDeadline(time.Time{})
		local, _ := sock.Names()
		return true, c.join(sock, h, hca.ConnInfo{Local: local, Remote: address, Private: h.Private})
	}
	c.discard()
	_ = sock.Close()
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, shm.ErrGone):
		return false, errNoAnswer // it is closing, or has another version
	}
	return true, failure(hca.Unreachable, "connect", address, "", err)
}

// dial finds the process that listens on a service of this machine.
func (p *Path) dial(ctx context.Context, host string, service uint64) (neighbour.Socket, error) {
	name, here := p.machine.Name(host)
	if !here {
		return nil, errElsewhere
	}
	if err := p.canShare(); err != nil {
		return nil, err
	}
	s, err := p.machine.Find(ctx, name, service)
	return s, unable(err)
}

var (
	errElsewhere = errors.New("the host is neither localhost nor an address of this host; other names are left to the network, also if they are this host's")
	errNoAnswer  = errors.New("the listener there has hung up without an answer: it is closing, has another version, or many connect at this moment")
)

// handshake sends the request and reads the answer.
func (c *Conn) handshake(sock neighbour.Socket, service uint64, private []byte) (*neighbour.Hello, error) {
	directory, err := c.p.directoryFD()
	if err != nil {
		return nil, err
	}
	defer shm.CloseFD(directory)
	req := c.hello(neighbour.HelloRequest, private)
	req.Service = service
	if err := neighbour.SendHello(sock, req, c.own, directory); err != nil {
		return nil, err
	}
	h, fds, err := neighbour.RecvHello(sock, &c.a.Attrs, neighbour.HelloAccept, 3)
	if err != nil {
		shm.CloseFDs(fds)
		return nil, err
	}
	switch h.Kind {
	case neighbour.HelloReject:
		return nil, &hca.Error{Op: "connect", Object: c.remote, Code: hca.Rejected, Private: h.Private}
	case neighbour.HelloRefuse:
		return nil, hca.NewError(hca.Refused, "connect", c.remote, connreq.Full)
	}
	c.peer.doorbell = fds[1]
	rest := append(fds[3:], fds[0]) // what nobody has taken over yet
	if err = c.learnPeer(sock, h, fds[2]); err == nil {
		err = shm.CheckEvent(fds[1])
	}
	if err == nil {
		err = c.group.Meet(&c.p.ringers, c.there(h, h), fds[3:], &c.peer.doorbell)
		rest = fds[:1]
	}
	if err != nil {
		shm.CloseFDs(rest)
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
	bell := c.joinGroup(c.process(h))
	return h, neighbour.SendHello(sock, c.hello(neighbour.HelloReady, nil), bell...)
}
