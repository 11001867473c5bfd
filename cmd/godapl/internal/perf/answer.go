package perf

import (
	"context"
	"errors"
	"fmt"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// The work of the passive side on its two goroutines.

// accept accepts one connection for each endpoint.
func (p *passive) accept(ctx context.Context) error {
	for request := range p.ln.Requests() {
		if len(p.endpoints) == p.cfg.Endpoints {
			return tooMany(p.cfg.Endpoints, request)
		}
		if p.cfg.API != "vipl" { // which meets
			if err := p.learn(request.PrivateData()); err != nil {
				return err
			}
		}
		e, err := p.endpoint()
		if err != nil {
			return err
		}
		terms, err := p.terms()
		if err != nil {
			return err
		}
		conn, err := request.AcceptOn(ctx, e, rdma.ConnConfig{Private: terms})
		if err != nil {
			return err
		}
		if p.cfg.blocks() {
			p.conns <- conn
		}
		p.first.CompareAndSwap(nil, e)
	}
	return nil
}

// tooMany rejects a connection that the settings do not have.
func tooMany(have int, request *rdma.ConnRequest) error {
	return errors.Join(fmt.Errorf("more than %d connections", have), request.Reject(nil))
}

// learn stores the address of the other side's memory.
func (p *passive) learn(where []byte) error {
	var far mem.Remote
	err := far.UnmarshalBinary(where)
	p.far.Store(&far)
	return err
}

// meet stores the address of the other side's memory, and returns the terms of this side.
func (p *passive) meet(where []byte) ([]byte, error) {
	if err := p.learn(where); err != nil {
		return nil, err
	}
	return p.terms()
}

// serve takes completions until the adapter is closed.
func (p *passive) serve(context.Context) error {
	work := p.completions
	if p.cfg.blocks() {
		work = p.block
	}
	err := work()
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
	case p.srq != nil:
		return p.called(c)
	case c.Status == rdma.StatusFlushed: // the other side has ended
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
