package perf

import (
	"context"
	"errors"
	"time"
)

// compare measures the same calls over sockets, in turns with ours.
func (c *clients) compare(ctx context.Context, ours *calls) (r *ratio, err error) {
	conns, err := c.dialSockets(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, s := range conns {
			err = errors.Join(err, s.c.Close())
		}
	}()
	theirs := calls{clients: len(conns), run: func(i int, l limit, t *times) error { return conns[i].run(l, t) }}
	x := contest{what: "calls against " + plains[c.cfg.Vs].what + " and bufio", unit: "calls/s", meters: new([2]meter)}
	x.ours = func() (float64, error) { return c.round(&x.meters[0], "echo", ours) }
	x.theirs = func() (float64, error) { return c.round(&x.meters[1], "idle", &theirs) }
	a, b, err := x.turns(c.cfg.Rounds)
	if err != nil {
		return nil, err
	}
	r = newRatio(x.what, x.unit, a, b)
	r.Parts = newParts(&x.meters[0], &x.meters[1])
	return r, nil
}

// round is one round of one side, the number of calls in a second.
func (c *clients) round(m *meter, do string, all *calls) (float64, error) {
	if _, err := c.tell(do); err != nil {
		return 0, err
	}
	if err := all.warm(c.cfg.limit()); err != nil {
		return 0, err
	}
	h := newHistogram()
	var took time.Duration
	used, err := using(c.peer, command{Do: do}, func() (err error) {
		took, err = all.all(c.cfg.limit(), h)
		return err
	})
	if err != nil {
		return 0, err
	}
	m.add(h, 1, used)
	return float64(h.TotalCount()) / took.Seconds(), c.idle()
}
