package soft

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// maxPrivate is the private data that fits every path: siw takes 256 octets in
// all, of which our negotiation and a wide service id need 20.
const maxPrivate = 236

var errAborted = hca.NewError(hca.Closed, "connect", "", "the endpoint was disconnected or closed meanwhile")

func checkPrivate(op string, private []byte) error {
	if len(private) > maxPrivate {
		return hca.NewError(hca.Invalid, op, "", fmt.Sprintf("%d bytes of private data, but at most %d are possible", len(private), maxPrivate))
	}
	return nil
}

func (q *qp) Connect(ctx context.Context, address string, p hca.ConnParams) error {
	const op = "connect"
	if err := checkPrivate(op, p.Private); err != nil {
		return err
	}
	host, service, err := q.a.d.parse(op, address)
	if err == nil && service == 0 && !q.a.d.foreign() {
		err = hca.NewError(hca.BadAddress, op, address, "service 0 names nobody")
	}
	if err != nil {
		if oerr := q.open(op, nil); oerr != nil {
			return oerr
		}
		return q.openFailed(err)
	}
	ctx, limit := hca.WithAnswerTime(ctx, address, q.a.opt.ListenWait)
	defer limit()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if ctx.Err() != nil {
		err := ctxError(ctx, op, address, ctx.Err())
		if oerr := q.open(op, nil); oerr != nil {
			return oerr
		}
		return q.openFailed(err)
	}
	if err := q.open(op, func() { cancel(errAborted) }); err != nil {
		return err
	}
	err = q.connectPatiently(ctx, func() error {
		if q.a.d.loop {
			if l := findLoop(host, service); l != nil {
				return q.connectLoop(ctx, l, address, p)
			}
		}
		return q.connectOut(ctx, address, host, service, p)
	})
	if err != nil {
		return q.openFailed(ctxError(ctx, op, address, err))
	}
	return nil
}

// connectOut connects with another process: over shared memory if it is of this
// host and user, else over the network.
func (q *qp) connectOut(ctx context.Context, address, host string, service uint64, p hca.ConnParams) error {
	d := q.a.d
	if !d.foreign() {
		address = joinAddress(host, service)
	}
	if d.shm {
		met, err := q.connectShm(ctx, host, service, p)
		if met {
			return err
		}
		if d.fabric == nil && errors.As(err, new(*unableError)) {
			return hca.Wrap(hca.Unsupported, "connect", address, noShm, err)
		}
		if d.fabric == nil {
			return hca.Wrap(hca.Refused, "connect", address, "nobody of this host and user listens there", err)
		}
		if err != errElsewhere && !q.a.sayUnable(err) {
			q.a.log.Info("not over shared memory, so over the network", "remote", address, "reason", err)
		}
	}
	if d.fabric != nil {
		return q.connectStream(ctx, address, host, service, p)
	}
	return hca.Wrap(hca.Refused, "connect", address, "", errNobody)
}

// ctxError prefers the reason why a context ended to what that caused.
func ctxError(ctx context.Context, op, object string, err error) error {
	cause := context.Cause(ctx)
	if cause == nil {
		// What works with the deadline itself can be ahead of the context.
		if d, ok := ctx.Deadline(); !ok || time.Now().Before(d) {
			return err
		}
		cause = context.DeadlineExceeded
	}
	if e, ok := errors.AsType[*hca.Error](cause); ok {
		return e
	}
	if errors.Is(cause, context.DeadlineExceeded) {
		return hca.Wrap(hca.Timeout, op, object, "no answer in time", cause)
	}
	return hca.Wrap(hca.Canceled, op, object, "", cause)
}

// openFailed ends a queue pair whose connection never was.
func (q *qp) openFailed(err error) error {
	q.tx.lock()
	q.held = false
	q.leave(&after{})
	q.markOver(hca.EventBroken, err)
	q.runTx()
	<-q.finished
	return err
}

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

func (q *qp) connectLoop(ctx context.Context, l *listener, address string, p hca.ConnParams) error {
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

// errMute is the same on both paths.
func errMute(op hca.Op) error {
	return hca.NewError(hca.Unsupported, "post "+op.String(), "", "no reads or atomics were agreed for this connection: one side was made with a depth of 0")
}

// checkLoop looks at what an in-process connection cannot do.
func (q *qp) checkLoop(op hca.Op) error {
	if answered(op) && q.mute.Load() {
		return errMute(op)
	}
	return nil
}

// link joins two queue pairs. Both hear of it before data moves.
func link(r *loopRequest, passive *qp, private []byte) error {
	active := r.from
	for _, q := range [...]*qp{active, passive} {
		q.tx.lock()
		q.held = true
		q.leave(&after{})
	}
	active.mu.Lock()
	passive.mu.Lock()
	ok := active.state.Load() == stOpening && passive.state.Load() == stOpening
	if ok {
		active.peer.Store(passive)
		passive.peer.Store(active)
		for _, q := range [...]*qp{active, passive} {
			q.told = true
			q.abort = nil
			q.state.Store(stReady)
		}
	}
	passive.mu.Unlock()
	active.mu.Unlock()
	if !ok {
		return hca.NewError(hca.Refused, "accept", "request", "one side was closed meanwhile")
	}
	info := hca.ConnInfo{
		Local: r.l.Addr(), Remote: r.remote, Path: "loop", Acked: true,
		Caps:     active.a.attr.Caps & passive.a.attr.Caps,
		ReadsOut: min(passive.cfg.ReadsOut, active.cfg.ReadsIn), ReadsIn: min(passive.cfg.ReadsIn, active.cfg.ReadsOut),
	}
	theirs := info
	theirs.Local, theirs.Remote = info.Remote, info.Local
	theirs.ReadsOut, theirs.ReadsIn = info.ReadsIn, info.ReadsOut
	passive.mute.Store(info.ReadsOut == 0)
	active.mute.Store(theirs.ReadsOut == 0)
	theirs.Private = private
	passive.cfg.Event(hca.ConnEvent{Kind: hca.EventEstablished, Info: &info})
	active.cfg.Event(hca.ConnEvent{Kind: hca.EventEstablished, Info: &theirs})
	passive.release()
	active.release()
	return nil
}
