package inproc

import (
	"context"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// request is a connection request from this process.
type request struct {
	from    *core.QP
	l       *core.Listener
	remote  string
	private []byte
	result  chan error
	core.Pending
}

// Path is the path between queue pairs of this process.
type Path struct{}

func (*Path) Close()                          {}
func (*Path) Skipped(core.PeerAddress, error) {}

func (*Path) Connect(ctx context.Context, q *core.QP, to core.PeerAddress, p hca.ConnParams) (found bool, err error) {
	l := find(to.Host, to.Service)
	if l == nil {
		return false, hca.Wrap(hca.Refused, "connect", to.Name, "", core.ErrNobody)
	}
	return true, connectTo(ctx, q, l, to.Name, p)
}

func connectTo(ctx context.Context, q *core.QP, l *core.Listener, address string, p hca.ConnParams) error {
	r := &request{
		from: q, l: l, remote: "loop:0", private: append([]byte(nil), p.Private...),
		result: make(chan error, 1),
	}
	if err := r.Begin(l.Adapter, "connect", r); err != nil {
		return hca.NewError(hca.Refused, "connect", address, "the listening adapter is closing")
	}
	if !l.Deliver(r) {
		l.Adapter.Untrack(r)
		return hca.NewError(hca.Refused, "connect", address, "the listener's backlog is full or it is closing")
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

func (r *request) Local() string   { return r.l.Addr() }
func (r *request) Remote() string  { return r.remote }
func (r *request) Private() []byte { return r.private }

func (r *request) Accept(ctx context.Context, to hca.QP, p hca.ConnParams) error {
	const op = "accept"
	q, ok := to.(*core.QP)
	if !ok || q.Adapter != r.l.Adapter {
		return hca.NewError(hca.Invalid, op, "request", "the endpoint is of another adapter")
	}
	if err := core.CheckPrivate(op, p.Private); err != nil {
		return err
	}
	if err := q.Open(op, nil); err != nil {
		return err
	}
	if err := r.Answer(op); err != nil {
		return q.OpenFailed(err)
	}
	if err := ctx.Err(); err != nil {
		r.result <- hca.NewError(hca.Refused, "connect", r.l.Addr(), "the peer gave up accepting")
		return q.OpenFailed(core.CtxError(ctx, op, "request", err))
	}
	err := link(r, q, append([]byte(nil), p.Private...))
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

// link connects two queue pairs. Both get the established event before data moves.
func link(r *request, passive *core.QP, private []byte) error {
	active := r.from
	info := hca.ConnInfo{
		Local: r.l.Addr(), Remote: r.remote, Path: "loop", Acked: true,
		Caps:     active.Adapter.Attrs.Caps & passive.Adapter.Attrs.Caps,
		ReadsOut: min(passive.Config.ReadsOut, active.Config.ReadsIn), ReadsIn: min(passive.Config.ReadsIn, active.Config.ReadsOut),
	}
	theirs := info
	theirs.Local, theirs.Remote = info.Remote, info.Local
	theirs.ReadsOut, theirs.ReadsIn = info.ReadsIn, info.ReadsOut
	theirs.Private = private
	ours := &Conn{q: passive, peer: active, far: active.PD, mute: info.ReadsOut == 0}
	other := &Conn{q: active, peer: passive, far: passive.PD, mute: theirs.ReadsOut == 0}
	info.Poster, theirs.Poster = ours, other
	if !core.EstablishPair(active, other, passive, ours) {
		return hca.NewError(hca.Refused, "accept", "request", "one side was closed meanwhile")
	}
	passive.Config.Event(hca.ConnEvent{Kind: hca.EventEstablished, Info: &info})
	active.Config.Event(hca.ConnEvent{Kind: hca.EventEstablished, Info: &theirs})
	passive.Release()
	active.Release()
	return nil
}
