package soft

import (
	"context"

	"github.com/godapl/godapl/internal/hca"
)

// connectAny connects a queue pair on the first path on which the peer is found.
func (a *assembly) connectAny(ctx context.Context, q *qp, address string, p hca.ConnParams) error {
	const op = "connect"
	if err := checkPrivate(op, p.Private); err != nil {
		return err
	}
	host, service, err := a.d.parse(op, address)
	if err == nil && service == 0 && !a.d.foreign() {
		err = hca.NewError(hca.BadAddress, op, address, "service 0 names nobody")
	}
	if err != nil {
		if oerr := q.open(op, nil); oerr != nil {
			return oerr
		}
		return q.openFailed(err)
	}
	ctx, limit := hca.WithAnswerTime(ctx, address, a.opt.ListenWait)
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
	to := peerAddress{name: address, host: host, service: service}
	if !a.d.foreign() {
		to.name = joinAddress(host, service)
	}
	err = a.connectPatiently(ctx, func() error { return a.connectOnce(ctx, q, to, p) })
	if err != nil {
		return q.openFailed(ctxError(ctx, op, address, err))
	}
	return nil
}

func (a *assembly) connectOnce(ctx context.Context, q *qp, to peerAddress, p hca.ConnParams) error {
	for i := 0; ; i++ {
		found, err := a.paths[i].connect(ctx, q, to, p)
		if found || i == len(a.paths)-1 {
			return err
		}
		a.paths[i].skipped(to, err)
	}
}
