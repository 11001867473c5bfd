package rdma

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
)

// NewEndpoint creates an unconnected endpoint (uDAPL: dat_ep_create, dat_ep_create_with_srq).
// ErrInvalid if the configuration exceeds [Adapter.Attributes] or contradicts itself.
func (a *Adapter) NewEndpoint(cfg EndpointConfig) (*Endpoint, error) {
	const op = "new endpoint"
	e, err := a.newEndpoint(op, cfg)
	if err != nil {
		return nil, hca.Named(err, op, tagged("of "+a.name, cfg.Tag))
	}
	return e, nil
}

// newEndpoint creates an endpoint for a call of the program.
func (a *Adapter) newEndpoint(op string, cfg EndpointConfig) (*Endpoint, error) {
	cfg, err := cfg.complete(a)
	if err != nil {
		return nil, err
	}
	e := &Endpoint{adapter: a, tag: cfg.Tag, number: numbers.endpoints.Add(1)}
	if err := e.configure(cfg); err != nil {
		return nil, err
	}
	if err := a.add(op, e); err != nil {
		e.release()
		return nil, err
	}
	return e, nil
}

// configure takes references to all objects that cfg names, or to none. The endpoint holds
// none yet. The caller holds e.mu, or e is not shared yet.
func (e *Endpoint) configure(cfg EndpointConfig) (err error) {
	e.cfg = cfg
	var undo []func()
	defer func() {
		if err != nil {
			for _, f := range undo {
				f()
			}
			e.cfg, e.recvQ, e.sendQ = EndpointConfig{}, nil, nil
		}
	}()
	if z := cfg.Zone; z != nil {
		if err := z.hold(&z.endpoints); err != nil {
			return err
		}
		undo = append(undo, func() { z.drop(&z.endpoints) })
	}
	depth := cfg.RecvDepth
	if s := cfg.SharedReceives; s != nil {
		if err := s.hold(); err != nil {
			return err
		}
		undo = append(undo, s.drop)
		depth = max(depth, s.Depth())
	}
	for _, side := range [...]struct {
		q     **CompletionQueue
		named *CompletionQueue
		depth int
		room  int
		name  string
	}{{&e.recvQ, cfg.RecvCQ, depth, depth, "receives"},
		{&e.sendQ, cfg.SendCQ, cfg.SendDepth, max(ownRoom, dispatcherSlack*cfg.SendDepth), "requests"}} {
		q := side.named
		if q == nil {
			if q, err = e.adapter.ownCompletionQueue(side.depth, side.room, side.name+" of "+e.object()); err != nil {
				return err
			}
			undo = append(undo, q.end)
		} else {
			if err = q.hold(); err != nil {
				return err
			}
			undo = append(undo, q.drop)
		}
		*side.q = q
	}
	if b := cfg.BindCQ; b != nil {
		if err = followBinds(b, e.sendQ); err != nil {
			return err
		}
	}
	return nil
}

// release drops the references that configure took.
func (e *Endpoint) release() {
	e.mu.Lock()
	cfg, recvQ, sendQ := e.cfg, e.recvQ, e.sendQ
	e.mu.Unlock()
	if b := cfg.BindCQ; b != nil {
		unfollowBinds(b, sendQ)
	}
	for _, side := range [...]struct{ q, named *CompletionQueue }{{recvQ, cfg.RecvCQ}, {sendQ, cfg.SendCQ}} {
		if side.named == nil {
			side.q.end()
		} else {
			side.q.drop()
		}
	}
	if s := cfg.SharedReceives; s != nil {
		s.drop()
	}
	if z := cfg.Zone; z != nil {
		z.drop(&z.endpoints)
	}
}

// Modify changes the configuration of an unconnected endpoint (uDAPL:
// dat_ep_modify); in other states it fails with ErrState. Fields of value zero
// get their defaults, so begin with [Endpoint.Config]. After an error nothing
// has changed. SharedReceives cannot change, and RecvDepth cannot be less than
// the number of posted receives. Receives that were posted before a change of
// zone fail when they are used. If Modify replaces queues that the endpoint
// has created, it closes their dispatchers.
func (e *Endpoint) Modify(cfg EndpointConfig) error {
	const op = "modify"
	cfg, err := cfg.complete(e.adapter)
	if err != nil {
		return hca.Named(err, op, e.object())
	}
	cfg.Tag = e.tag
	e.life.Lock()
	defer e.life.Unlock()
	former, err := e.replace(op, cfg)
	if err == nil {
		former.release() // without e.mu: the drain of a queue that is left may need it
	}
	return err
}

// replace is Modify without the release of what the endpoint has had. It returns that.
func (e *Endpoint) replace(op string, cfg EndpointConfig) (former *Endpoint, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch s := e.State(); {
	case s == StateClosed:
		return nil, e.closedError(op)
	case s != StateUnconnected:
		return nil, hca.NewError(hca.State, op, e.object(), "it is "+s.String()+"; only an unconnected one can be changed")
	case cfg.SharedReceives != e.cfg.SharedReceives:
		return nil, hca.NewError(hca.Invalid, op, e.object(), "SharedReceives is for the endpoint's whole life")
	case len(e.earlyRecvs) > cfg.RecvDepth:
		return nil, hca.NewError(hca.Invalid, op, e.object(), fmt.Sprintf("%s posted, more than RecvDepth %d", hca.CountIs(len(e.earlyRecvs), "receive"), cfg.RecvDepth))
	}
	former = &Endpoint{adapter: e.adapter, tag: e.tag, number: e.number, cfg: e.cfg, recvQ: e.recvQ, sendQ: e.sendQ}
	if err := e.configure(cfg); err != nil {
		e.cfg, e.recvQ, e.sendQ = former.cfg, former.recvQ, former.sendQ
		return nil, hca.Named(err, op, e.object())
	}
	return former, nil
}
