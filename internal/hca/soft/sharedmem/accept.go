package sharedmem

import (
	"context"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/accepts"
	"github.com/godapl/godapl/internal/hca/soft/connreq"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/neighbour"
	"github.com/godapl/godapl/internal/shm"
)

// request is a connection request from another process of this host.
type request struct {
	p         *Path
	l         *core.Listener
	sock      neighbour.Socket
	hello     *neighbour.Hello
	doorbell  int // wakes the peer
	directory int // the peer's key directory; -1 once the connection owns it
	connreq.Pending
}

func (r *request) Local() string   { return r.l.Addr() }
func (r *request) Remote() string  { return peerName(r.sock) }
func (r *request) Private() []byte { return r.hello.Private }

// peerName names a process of this host.
func peerName(sock neighbour.Socket) string {
	_, name := sock.Names()
	return name
}

// watchPeer watches the socket of a request. A peer that sends anything before the answer violates the protocol
// and is treated as gone.
func (r *request) watchPeer() {
	r.Watch(r.sock.SetDeadline, func() error {
		var b [1]byte
		_, fds, err := r.sock.Recv(b[:])
		shm.CloseFDs(fds)
		if err == nil {
			err = neighbour.ErrHello
		}
		return err
	}, r.drop)
}

// drop closes the socket without an answer.
func (r *request) drop() {
	_ = r.sock.Close()
	shm.CloseFD(r.doorbell)
	shm.CloseFD(r.directory)
}

// reply answers a request that is not accepted.
func (r *request) reply(h *neighbour.Hello) error {
	_ = r.sock.SetDeadline(time.Now().Add(connreq.FirstFrameTime))
	return neighbour.SendHello(r.sock, h)
}

func (r *request) Reject(private []byte) error {
	const op = "reject"
	if err := core.CheckPrivate(op, private); err != nil {
		return err
	}
	if err := r.Answer(op); err != nil {
		return err
	}
	err := r.reply(&neighbour.Hello{Kind: neighbour.HelloReject, Private: private})
	r.drop()
	if err != nil {
		return hca.Wrap(hca.Refused, op, "request", "the peer has given up", err)
	}
	return nil
}

// Close refuses the request if nobody has answered it.
func (r *request) Close() error {
	if r.Answer("close") == nil {
		_ = r.reply(&neighbour.Hello{Kind: neighbour.HelloRefuse})
		r.drop()
	}
	return nil
}

func (r *request) Accept(ctx context.Context, to hca.QP, p hca.ConnParams) error {
	const op = "accept"
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	q, err := r.l.Adapter.Acceptable(op, to, p, cancel)
	if err != nil {
		return err
	}
	if err := r.Answer(op); err != nil {
		return q.OpenFailed(err)
	}
	if ctx.Err() != nil {
		_ = r.reply(&neighbour.Hello{Kind: neighbour.HelloRefuse})
		r.drop()
		return q.OpenFailed(connreq.CtxError(ctx, op, "request", ctx.Err()))
	}
	b := q.Adapter.Accepts.Enter(q, r.sock)
	defer q.Adapter.Accepts.Leave(b)
	c, err := r.negotiate(ctx, q, b, p.Private)
	if err != nil {
		_ = r.sock.Close()
		return q.OpenFailed(connreq.AcceptError(ctx, op, err))
	}
	return c.join(r.sock, r.hello, hca.ConnInfo{Local: r.Local(), Remote: r.Remote()})
}

// negotiate creates the connection's memory, answers, and waits until the peer reports that it is ready.
func (r *request) negotiate(ctx context.Context, q *core.QP, b *accepts.Accept, private []byte) (*Conn, error) {
	c, err := r.p.newConn(q)
	c.peer.doorbell = r.doorbell
	fail := func(err error) (*Conn, error) {
		c.discard()
		return nil, failure(hca.Refused, "accept", "request", "the peer has given up", err)
	}
	var seg *shm.Segment
	var directory int
	if err == nil {
		directory, err = r.p.directoryFD()
		defer shm.CloseFD(directory)
	}
	if err == nil {
		err = c.learnPeer(r.sock, r.hello, r.directory)
	} else {
		shm.CloseFD(r.directory)
	}
	if err == nil {
		seg, err = shm.NewSegment("godapl-connection", segmentSize, 0)
	}
	if err == nil {
		err = c.attach(seg, 1, r.hello)
	}
	if err != nil {
		_ = r.reply(&neighbour.Hello{Kind: neighbour.HelloRefuse})
		return fail(hca.Wrap(hca.Resources, "accept", "request", "", err))
	}
	_ = r.sock.SetDeadline(time.Now().Add(connreq.FirstFrameTime)) // first: the end of the context replaces it
	stop := context.AfterFunc(ctx, func() { _ = r.sock.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	bell := c.joinGroup(c.process(r.hello))
	if err := neighbour.SendHello(r.sock, c.hello(neighbour.HelloAccept, private), append([]int{seg.FD(), c.own, directory}, bell...)...); err != nil {
		return fail(err)
	}
	b.Await()
	ready, fds, err := neighbour.RecvHello(r.sock, &q.Adapter.Attrs, neighbour.HelloReady, 0)
	if err != nil {
		shm.CloseFDs(fds)
		return fail(err)
	}
	if err := c.group.Meet(&r.p.ringers, c.there(r.hello, ready), fds, &c.peer.doorbell); err != nil {
		return fail(err)
	}
	c.peer.sees = ready.Sees
	if !stop() {
		return fail(ctx.Err())
	}
	_ = seg.CloseFile()
	return c, nil
}
