package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// The work of the passive side on its two goroutines.

// accept takes as many connections as there are to be endpoints.
func (p *passive) accept(ctx context.Context) error {
	for request := range p.ln.Requests() {
		if len(p.endpoints) == p.cfg.Endpoints {
			return errors.Join(fmt.Errorf("more than %d connections", p.cfg.Endpoints), request.Reject(nil))
		}
		var far mem.Remote
		if err := far.UnmarshalBinary(request.PrivateData()); err != nil {
			return err
		}
		p.far.Store(&far)
		e, err := p.endpoint()
		if err != nil {
			return err
		}
		terms, err := p.terms()
		if err != nil {
			return err
		}
		if _, err := request.AcceptOn(ctx, e, rdma.ConnConfig{Private: terms}); err != nil {
			return err
		}
		p.first.CompareAndSwap(nil, e)
	}
	return nil
}

// serve takes completions until the adapter is closed.
func (p *passive) serve() error {
	err := p.completions()
	if errors.Is(err, rdma.ErrClosed) {
		return nil
	}
	return err
}

// completions handles receives, and sleeps while there is nothing to poll for.
func (p *passive) completions() error {
	for {
		cs, err := p.face.next()
		if err != nil {
			return err
		}
		if len(cs) == 0 { // paused
			if err := p.watch(); err != nil {
				return err
			}
			select {
			case <-p.resume:
			case <-p.closing:
				return nil
			}
		}
		for i := range cs {
			if err := p.completed(&cs[i]); err != nil {
				return err
			}
		}
		if p.all.Load() != p.streamed {
			p.all.Store(p.streamed)
		}
	}
}

// completed answers a message, if it is to be answered, and posts its receive
// again.
func (p *passive) completed(c *rdma.Completion) error {
	switch {
	case c.Status == rdma.StatusFlushed: // the other side is done
		return nil
	case c.Status != rdma.StatusOK:
		return c.Err()
	}
	if p.echo.Load() { // first of all: the other side takes the time
		if err := p.ping(c.Endpoint, p.far.Load()); err != nil {
			return err
		}
		return p.receive(c.Endpoint, c.Cookie)
	}
	if err := p.receive(c.Endpoint, c.Cookie); err != nil {
		return err
	}
	return p.took(c)
}
