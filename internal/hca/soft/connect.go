package soft

import (
	"context"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/connreq"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/hostport"
)

// connectAny connects a queue pair over the first path on which the peer is found.
func (a *adapter) connectAny(ctx context.Context, q *core.QP, address string, p hca.ConnParams) error {
	const op = "connect"
	if err := core.CheckPrivate(op, p.Private); err != nil {
		return err
	}
	host, service, err := a.d.parse(op, address)
	if err == nil && service == 0 && !a.d.foreign() {
		err = hca.NewError(hca.BadAddress, op, address, "service 0 is for listeners, which choose a free one; dial that of Listener.Addr")
	}
	if err != nil {
		if oerr := q.Open(op, nil); oerr != nil {
			return oerr
		}
		return q.OpenFailed(err)
	}
	ctx, limit := hca.WithAnswerTime(ctx, address, a.Options.ListenWait)
	defer limit()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if ctx.Err() != nil {
		err := connreq.CtxError(ctx, op, address, ctx.Err())
		if oerr := q.Open(op, nil); oerr != nil {
			return oerr
		}
		return q.OpenFailed(err)
	}
	if err := q.Open(op, func() { cancel(core.ErrAborted) }); err != nil {
		return err
	}
	to := core.PeerAddress{Name: address, Host: host, Service: service}
	if !a.d.foreign() {
		to.Name = hostport.Join(host, service)
	}
	err = a.connectRetry(ctx, func() error { return a.connectOnce(ctx, q, to, p) })
	if err != nil {
		return q.OpenFailed(connreq.CtxError(ctx, op, address, err))
	}
	return nil
}

func (a *adapter) connectOnce(ctx context.Context, q *core.QP, to core.PeerAddress, p hca.ConnParams) error {
	for i := 0; ; i++ {
		found, err := a.Paths[i].Connect(ctx, q, to, p)
		if found || i == len(a.Paths)-1 {
			return err
		}
		a.Paths[i].Skipped(to, err)
	}
}
