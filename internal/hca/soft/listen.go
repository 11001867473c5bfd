package soft

import (
	"context"

	"github.com/godapl/godapl/internal/hca"
)

// A listening is a listener and what takes its requests.
type listening struct {
	listener
	services []service
}

// listenOrder is the order in which paths take a service. The network is first: the number
// that it finds free, if any will do, is the service's on all paths.
func (a *assembly) listenOrder() []path {
	if n := len(a.paths); n > 1 && a.d.network() {
		return append([]path{a.paths[n-1]}, a.paths[:n-1]...)
	}
	return a.paths
}

func (a *assembly) Listen(ctx context.Context, cfg hca.ListenConfig) (hca.Listener, error) {
	const op = "listen"
	host, service, err := a.d.parse(op, cfg.Address)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctxError(ctx, op, cfg.Address, ctx.Err())
	}
	if cfg.OnRequest == nil {
		return nil, hca.NewError(hca.Invalid, op, cfg.Address, "nobody would take the requests")
	}
	l := &listening{listener: listener{a: a.adapter, cfg: cfg, host: host, service: service}}
	for _, p := range a.listenOrder() {
		s, err := p.listen(ctx, &l.listener)
		if err != nil {
			l.withdraw()
			return nil, err
		}
		if s != nil {
			l.services = append(l.services, s)
			l.open++
		}
	}
	if err := a.track(op, l); err != nil {
		l.withdraw()
		return nil, err
	}
	for _, s := range l.services {
		s.serve()
	}
	return l, nil
}

// withdraw ends what takes requests.
func (l *listening) withdraw() {
	for _, s := range l.services {
		s.close()
	}
}

func (l *listening) Close() error {
	if l.shut() {
		l.withdraw()
		l.a.untrack(l)
	}
	return nil
}
