package soft

import (
	"context"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

// loopRequest is a request from this process.
type loopRequest struct {
	from    *qp
	l       *listener
	remote  string
	private []byte
	result  chan error
	leaving

	mu       sync.Mutex
	answered bool // or given up by the peer
}

// loopPath is the path between queue pairs of this process.
type loopPath struct{}

func (*loopPath) close()                     {}
func (*loopPath) skipped(peerAddress, error) {}

func (*loopPath) connect(ctx context.Context, q *qp, to peerAddress, p hca.ConnParams) (found bool, err error) {
	l := findLoop(to.host, to.service)
	if l == nil {
		return false, hca.Wrap(hca.Refused, "connect", to.name, "", errNobody)
	}
	return true, connectLoop(ctx, q, l, to.name, p)
}

func connectLoop(ctx context.Context, q *qp, l *listener, address string, p hca.ConnParams) error {
	r := &loopRequest{
		from: q, l: l, remote: "loop:0", private: append([]byte(nil), p.Private...),
		result: make(chan error, 1),
	}
	if err := l.a.track("connect", r); err != nil {
		return hca.NewError(hca.Refused, "connect", address, "the listening adapter is closing")
	}
	defer l.a.untrack(r)
	if !l.deliver(r) {
		return hca.NewError(hca.Refused, "connect", address, "the listener's backlog is full or it is closing")
	}
	select {
	case err := <-r.result:
		return err
	case <-ctx.Done():
		r.mu.Lock()
		answered := r.answered
		r.answered = true
		if !answered {
			r.leave()
		}
		r.mu.Unlock()
		if answered {
			return <-r.result // it is being answered this moment
		}
		r.left()
		return ctx.Err()
	}
}

func (r *loopRequest) Local() string   { return r.l.Addr() }
func (r *loopRequest) Remote() string  { return r.remote }
func (r *loopRequest) Private() []byte { return r.private }

// answer claims the right to answer.
func (r *loopRequest) answer(op string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.hasLeft():
		return errGivenUp(op)
	case r.answered:
		return hca.NewError(hca.State, op, "request", "it has been answered")
	}
	r.answered = true
	return nil
}

func (r *loopRequest) Accept(ctx context.Context, to hca.QP, p hca.ConnParams) error {
	const op = "accept"
	q, ok := to.(*qp)
	if !ok || q.a != r.l.a {
		return hca.NewError(hca.Invalid, op, "request", "the endpoint is of another adapter")
	}
	if err := checkPrivate(op, p.Private); err != nil {
		return err
	}
	if err := q.open(op, nil); err != nil {
		return err
	}
	if err := r.answer(op); err != nil {
		return q.openFailed(err)
	}
	if err := ctx.Err(); err != nil {
		r.result <- hca.NewError(hca.Refused, "connect", r.l.Addr(), "the peer gave up accepting")
		return q.openFailed(ctxError(ctx, op, "request", err))
	}
	err := link(r, q, append([]byte(nil), p.Private...))
	r.result <- err
	if err != nil {
		return q.openFailed(err)
	}
	return nil
}

func (r *loopRequest) Reject(private []byte) error {
	if err := checkPrivate("reject", private); err != nil {
		return err
	}
	if err := r.answer("reject"); err != nil {
		return err
	}
	r.result <- &hca.Error{Op: "connect", Object: r.l.Addr(), Code: hca.Rejected, Private: append([]byte(nil), private...)}
	return nil
}

// Close refuses a request that nobody has answered.
func (r *loopRequest) Close() error {
	if r.answer("close") == nil {
		r.result <- hca.NewError(hca.Refused, "connect", r.l.Addr(), "the listening adapter was closed")
	}
	return nil
}

// link joins two queue pairs. Both hear of it before data moves.
func link(r *loopRequest, passive *qp, private []byte) error {
	active := r.from
	info := hca.ConnInfo{
		Local: r.l.Addr(), Remote: r.remote, Path: "loop", Acked: true,
		Caps:     active.a.attr.Caps & passive.a.attr.Caps,
		ReadsOut: min(passive.cfg.ReadsOut, active.cfg.ReadsIn), ReadsIn: min(passive.cfg.ReadsIn, active.cfg.ReadsOut),
	}
	theirs := info
	theirs.Local, theirs.Remote = info.Remote, info.Local
	theirs.ReadsOut, theirs.ReadsIn = info.ReadsIn, info.ReadsOut
	theirs.Private = private
	ours := &loopConn{q: passive, peer: active, far: active.pd, mute: info.ReadsOut == 0}
	other := &loopConn{q: active, peer: passive, far: passive.pd, mute: theirs.ReadsOut == 0}
	info.Poster, theirs.Poster = ours, other
	if !openedPair(active, other, passive, ours) {
		return hca.NewError(hca.Refused, "accept", "request", "one side was closed meanwhile")
	}
	passive.cfg.Event(hca.ConnEvent{Kind: hca.EventEstablished, Info: &info})
	active.cfg.Event(hca.ConnEvent{Kind: hca.EventEstablished, Info: &theirs})
	passive.release()
	active.release()
	return nil
}
