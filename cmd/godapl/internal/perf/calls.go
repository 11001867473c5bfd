package perf

import (
	"context"
	"errors"
	"io"
)

// -connections: many clients that call one server, each with -depth calls on the way.

// clients are the calling side.
type clients struct {
	*side
	peer  peer
	loops []*caller
}

// measureCalls is measure with many clients.
func measureCalls(ctx context.Context, cfg *config, errs io.Writer) (res *result, err error) {
	c, err := openClients(ctx, cfg, errs)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	defer context.AfterFunc(ctx, func() { c.shut() })()
	res = newResult(cfg)
	if err = c.measure(ctx, res); err != nil {
		res.Errors = max(1, res.Errors)
		err = errors.Join(err, c.idle()) // adds the error of the server
		if cause := context.Cause(ctx); cause != nil {
			err = errors.Join(cause, err)
		}
	}
	return res, err
}

// openClients opens the server and the clients, and connects them.
func openClients(ctx context.Context, cfg *config, errs io.Writer) (*clients, error) {
	p, address, err := openPeer(ctx, cfg, errs)
	if err != nil {
		return nil, err
	}
	s, err := openAdapter(ctx, cfg)
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	c := &clients{side: s, peer: p}
	if err := c.connect(ctx, address); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (c *clients) close() error {
	err := c.shut()
	for _, l := range c.loops {
		if l.set != nil {
			l.set.Close()
		}
	}
	return errors.Join(err, c.peer.close())
}

// connect makes the loops, with their share of the connections each.
func (c *clients) connect(ctx context.Context, address string) error {
	left := c.cfg.Connections
	for i := range c.cfg.Loops {
		n := left / (c.cfg.Loops - i)
		left -= n
		l, err := newCaller(ctx, c.side, address, n)
		if err != nil {
			return err
		}
		c.loops = append(c.loops, l)
	}
	return nil
}

func (c *clients) measure(ctx context.Context, res *result) error {
	if _, err := c.tell("echo"); err != nil {
		return err
	}
	ours := c.ours()
	if err := ours.warm(c.cfg.limit()); err != nil {
		return err
	}
	var err error
	res.used, err = using(c.peer, command{Do: "echo"}, func() (err error) {
		res.took, err = ours.all(c.cfg.limit(), res.latency)
		return err
	})
	res.Ops, res.latencyUsed = res.latency.TotalCount(), res.used
	if err != nil || c.cfg.Vs == "" {
		return errors.Join(err, c.idle())
	}
	res.Vs, err = c.compare(ctx, ours)
	return err
}

// ours are the calls through the library, as opposed to those of -vs.
func (c *clients) ours() *calls {
	return &calls{clients: len(c.loops), run: func(i int, l limit, t *times) error { return c.loops[i].run(l, t) }}
}

func (c *clients) tell(do string) (answer, error) { return c.peer.do(command{Do: do}) }

func (c *clients) idle() error {
	_, err := c.tell("idle")
	return err
}
