package soft

import (
	"context"
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/connreq"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// A listening is a listener and its service on each path.
type listening struct {
	core.Listener
	services []core.Service
	starts   sync.Mutex // held until all services serve: an adapter that closes meanwhile ends those
}

// listenOrder is the order in which the paths take a service. The network is first: if any service number will
// do, the free number that it finds is the service on all paths.
func (a *adapter) listenOrder() []core.Path {
	if n := len(a.Paths); n > 1 && a.d.network() {
		return append([]core.Path{a.Paths[n-1]}, a.Paths[:n-1]...)
	}
	return a.Paths
}

func (a *adapter) Listen(ctx context.Context, cfg hca.ListenConfig) (hca.Listener, error) {
	const op = "listen"
	host, service, err := a.d.parse(op, cfg.Address)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, connreq.CtxError(ctx, op, cfg.Address, ctx.Err())
	}
	if cfg.OnRequest == nil {
		return nil, hca.NewError(hca.Invalid, op, cfg.Address, "nobody would take the requests")
	}
	l := &listening{Listener: core.Listener{Adapter: a.Adapter, Config: cfg, Host: host, Service: service}}
	for _, p := range a.listenOrder() {
		s, err := p.Listen(ctx, &l.Listener)
		if err != nil {
			l.withdraw()
			return nil, err
		}
		if s != nil {
			l.services = append(l.services, s)
			l.Open++
		}
	}
	l.starts.Lock()
	defer l.starts.Unlock()
	if err := a.Track(op, l); err != nil {
		l.withdraw()
		return nil, err
	}
	for _, s := range l.services {
		s.Serve()
	}
	return l, nil
}

// withdraw closes the services on all paths.
func (l *listening) withdraw() {
	for _, s := range l.services {
		s.Close()
	}
}

func (l *listening) Close() error {
	if l.Shut() {
		l.starts.Lock()
		defer l.starts.Unlock()
		l.withdraw()
		l.Adapter.Untrack(l)
	}
	return nil
}
