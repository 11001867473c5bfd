package soft

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
)

// shmRequest is a request of another process of this host.
type shmRequest struct {
	p     *shmPath
	l     *listener
	sock  *shm.Sock
	hello *shmHello
	bell  int // wakes the peer
	board int // the peer's keys; -1 once it is the connection's
	leaving
	look lookout

	mu       sync.Mutex
	answered bool
}

func (r *shmRequest) Local() string   { return r.l.Addr() }
func (r *shmRequest) Remote() string  { return fmt.Sprintf("pid-%d:0", r.sock.Peer().PID) }
func (r *shmRequest) Private() []byte { return r.hello.private }

// answer claims the right to answer.
func (r *shmRequest) answer(op string) error {
	r.look.stop()
	switch {
	case r.claim():
		return nil
	case r.hasLeft():
		return errGivenUp(op)
	}
	return hca.NewError(hca.State, op, "request", "it has been answered")
}

func (r *shmRequest) claim() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answered {
		return false
	}
	r.answered = true
	r.l.a.untrack(r)
	return true
}

// lookOut watches the socket of a request. A peer that says something before the answer
// is none of ours, and as good as gone.
func (r *shmRequest) lookOut() {
	r.look.watch(r.l.a.bg.start, r.sock.SetDeadline, func() error {
		var b [1]byte
		_, fds, err := r.sock.Recv(b[:])
		closeFDs(fds)
		if err == nil {
			err = errHello
		}
		return err
	}, func() {
		r.leave()
		if r.claim() {
			r.drop()
			r.left()
		}
	})
}

// drop ends the socket without a word.
func (r *shmRequest) drop() {
	_ = r.sock.Close()
	shm.CloseFD(r.bell)
	shm.CloseFD(r.board)
}

func (r *shmRequest) reply(h *shmHello, fds ...int) error {
	_ = r.sock.SetDeadline(time.Now().Add(firstTime))
	return sendHello(r.sock, h, fds...)
}

func (r *shmRequest) Reject(private []byte) error {
	const op = "reject"
	if err := checkPrivate(op, private); err != nil {
		return err
	}
	if err := r.answer(op); err != nil {
		return err
	}
	err := r.reply(&shmHello{kind: helloReject, private: private})
	r.drop()
	if err != nil {
		return hca.Wrap(hca.Refused, op, "request", "the peer has given up", err)
	}
	return nil
}

// Close refuses a request that nobody has answered.
func (r *shmRequest) Close() error {
	if r.answer("close") == nil {
		_ = r.reply(&shmHello{kind: helloRefuse})
		r.drop()
	}
	return nil
}

func (r *shmRequest) Accept(ctx context.Context, to hca.QP, p hca.ConnParams) error {
	const op = "accept"
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	q, err := r.l.a.acceptable(op, to, p, cancel)
	if err != nil {
		return err
	}
	if err := r.answer(op); err != nil {
		return q.openFailed(err)
	}
	if ctx.Err() != nil {
		_ = r.reply(&shmHello{kind: helloRefuse})
		r.drop()
		return q.openFailed(ctxError(ctx, op, "request", ctx.Err()))
	}
	b := q.a.beginnings.enter(q, r.sock)
	defer q.a.beginnings.leave(b)
	c, err := r.agree(ctx, q, b, p.Private)
	if err != nil {
		_ = r.sock.Close()
		return q.openFailed(acceptError(ctx, op, err))
	}
	return c.join(r.sock, r.hello, hca.ConnInfo{Local: r.Local(), Remote: r.Remote()})
}

// agree makes the connection's memory, answers, and waits for the peer's word
// that it is ready.
func (r *shmRequest) agree(ctx context.Context, q *qp, b *beginning, private []byte) (*shmConn, error) {
	c, err := r.p.newConn(q)
	c.peer.bell = r.bell
	fail := func(err error) (*shmConn, error) {
		c.discard()
		return nil, err
	}
	var seg *shm.Segment
	var board int
	if err == nil {
		board, err = r.p.boardFD()
		defer shm.CloseFD(board)
	}
	if err == nil {
		err = c.know(r.sock, r.hello, r.board)
	} else {
		shm.CloseFD(r.board)
	}
	if err == nil {
		seg, err = shm.NewSegment("godapl-connection", shmSize, 0)
	}
	if err == nil {
		err = c.attach(seg, 1, r.hello)
	}
	if err != nil {
		_ = r.reply(&shmHello{kind: helloRefuse})
		return fail(hca.Wrap(hca.Resources, "accept", "request", "", err))
	}
	stop := context.AfterFunc(ctx, func() { _ = r.sock.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := r.reply(c.hello(helloAccept, private), seg.FD(), c.own, board); err != nil {
		return fail(err)
	}
	b.await()
	ready, fds, err := recvHello(r.sock, q.a, helloReady, 0)
	if err != nil {
		closeFDs(fds)
		return fail(err)
	}
	c.peer.sees = ready.sees
	if !stop() {
		return fail(ctx.Err())
	}
	_ = seg.CloseFile()
	return c, nil
}
