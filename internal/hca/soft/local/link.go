package local

import (
	"context"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/connreq"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// A Link makes the connections of a path.
type Link struct {
	Path string // the path's name in hca.ConnInfo
	// Join makes both ends and calls core.EstablishPair, and returns its result. readsOut and readsIn are the active
	// side's.
	Join func(active, passive *core.QP, readsOut, readsIn int) (a, p core.Transport, ok bool)
}

// Connect asks a listener for a connection, and waits for the answer.
func (k *Link) Connect(ctx context.Context, q *core.QP, l *core.Listener, address string, p hca.ConnParams) error {
	r := &request{link: k, from: q, l: l, private: append([]byte(nil), p.Private...), result: make(chan error, 1)}
	if err := r.Begin(l.Adapter, "connect", r); err != nil {
		return hca.NewError(hca.Refused, "connect", address, "the listening adapter is closing")
	}
	if !l.Deliver(r) {
		l.Adapter.Untrack(r)
		return hca.NewError(hca.Refused, "connect", address, connreq.Full)
	}
	select {
	case err := <-r.result:
		return err
	case <-ctx.Done():
		if !r.GiveUp(func() {}) {
			return <-r.result // it is being answered at this moment
		}
		return ctx.Err()
	}
}

// request is a connection request from this process.
type request struct {
	link    *Link
	from    *core.QP
	l       *core.Listener
	private []byte
	result  chan error
	connreq.Pending
}

func (r *request) Local() string   { return r.l.Addr() }
func (r *request) Remote() string  { return r.link.Path + ":0" }
func (r *request) Private() []byte { return r.private }

func (r *request) Accept(ctx context.Context, to hca.QP, p hca.ConnParams) error {
	const op = "accept"
	q, err := r.l.Adapter.Acceptable(op, to, p, func(error) {})
	if err != nil {
		return err
	}
	if err := r.Answer(op); err != nil {
		return q.OpenFailed(err)
	}
	if err := ctx.Err(); err != nil {
		r.result <- hca.NewError(hca.Refused, "connect", r.l.Addr(), "the peer gave up accepting")
		return q.OpenFailed(connreq.CtxError(ctx, op, "request", err))
	}
	err = r.establish(q, append([]byte(nil), p.Private...))
	r.result <- err
	if err != nil {
		return q.OpenFailed(err)
	}
	return nil
}

func (r *request) Reject(private []byte) error {
	if err := core.CheckPrivate("reject", private); err != nil {
		return err
	}
	if err := r.Answer("reject"); err != nil {
		return err
	}
	r.result <- &hca.Error{Op: "connect", Object: r.l.Addr(), Code: hca.Rejected, Private: append([]byte(nil), private...)}
	return nil
}

// Close refuses the request if nobody has answered it.
func (r *request) Close() error {
	if r.Answer("close") == nil {
		r.result <- hca.NewError(hca.Refused, "connect", r.l.Addr(), "the listening adapter was closed")
	}
	return nil
}

// establish connects the two queue pairs. Both get the established event before data moves.
func (r *request) establish(passive *core.QP, private []byte) error {
	active := r.from
	theirs := hca.ConnInfo{
		Local: r.Remote(), Remote: r.Local(), Path: r.link.Path, Acked: true, Private: private,
		Caps:     active.Adapter.Attrs.Caps & passive.Adapter.Attrs.Caps,
		ReadsOut: min(active.Config.ReadsOut, passive.Config.ReadsIn), ReadsIn: min(active.Config.ReadsIn, passive.Config.ReadsOut),
	}
	ours := theirs
	ours.Local, ours.Remote, ours.ReadsOut, ours.ReadsIn, ours.Private = theirs.Remote, theirs.Local, theirs.ReadsIn, theirs.ReadsOut, nil
	a, p, ok := r.link.Join(active, passive, theirs.ReadsOut, theirs.ReadsIn)
	if !ok {
		return hca.NewError(hca.Refused, "accept", "request", "one side was closed meanwhile")
	}
	theirs.Poster, ours.Poster = active.Direct(a), passive.Direct(p)
	passive.Config.Event(hca.ConnEvent{Kind: hca.EventEstablished, Info: &ours})
	active.Config.Event(hca.ConnEvent{Kind: hca.EventEstablished, Info: &theirs})
	passive.Release()
	active.Release()
	return nil
}
