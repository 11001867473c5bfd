package perf

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// plains are what a service would use without the library, between the same two
// processes.
var plains = map[string]struct{ what, network string }{
	"net":     {"net.Conn", "tcp4"},
	"netchan": {"net.Conn, a goroutine that reads it, and a channel", "tcp4"},
	"unix":    {"unix sockets", "unix"},
	"eventfd": {"eventfds and shared memory", ""},
}

// checkPlain refuses flags that they cannot be compared with.
func (c *config) checkPlain() error {
	switch {
	case c.Op != "send":
		return fmt.Errorf("-vs %s compares messages: -op send", c.Vs)
	case c.Only == "rate":
		return fmt.Errorf("-vs %s compares latencies: leave -only rate out", c.Vs)
	case c.Endpoints > 1:
		return fmt.Errorf("-vs %s compares one connection: leave -endpoints out", c.Vs)
	case c.Peer != "":
		return fmt.Errorf("-vs %s compares processes of this host: leave -peer out", c.Vs)
	case c.Vs == "eventfd" && !hasEvents:
		return errors.New("-vs eventfd needs Linux")
	case c.Vs == "eventfd" && !c.processes():
		return fmt.Errorf("-vs eventfd is between two processes: -path shm or tcp")
	}
	return nil
}

// A pingPong is the active end of such a connection.
type pingPong interface {
	once() error // a message and its answer
	close() error
}

func (a *active) openPlain(ctx context.Context) (pingPong, error) {
	do := a.cfg.Vs
	if do == "eventfd" {
		return a.openEvents(do)
	}
	where, err := a.peer.do(command{Do: do})
	if err != nil {
		return nil, err
	}
	c, err := dialPlain(ctx, do, where.Address)
	if err == nil {
		c, err = a.cfg.secure(ctx, c, tls.Client)
	}
	if err != nil {
		return nil, err
	}
	if do == "netchan" {
		return newReaderPing(c, a.cfg.Size), nil
	}
	return &connPing{c, make([]byte, a.cfg.Size)}, nil
}

// contestPlain compares round trips, and what both processes use meanwhile.
func (a *active) contestPlain(ctx context.Context) *contest {
	c := &contest{what: "a message against " + plains[a.cfg.Vs].what, unit: "ns", meters: new([2]meter)}
	c.ours = a.telling("latency", func() (float64, error) {
		return a.round(&c.meters[0], a.during("latency"), func(l limit, h *hdrhistogram.Histogram) error { return a.latency(l, 1, h) })
	})
	c.theirs = func() (x float64, err error) {
		p, err := a.openPlain(ctx)
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, p.close()) }()
		return a.round(&c.meters[1], "idle", func(l limit, h *hdrhistogram.Histogram) error { return l.times(h, 1, p.once) })
	}
	return c
}

// round is one round of one side: the median of the time one way, after a warm-up.
func (a *active) round(m *meter, do string, f func(limit, *hdrhistogram.Histogram) error) (float64, error) {
	if err := f(a.cfg.limit().part(10), newHistogram()); err != nil {
		return 0, err
	}
	h := newHistogram()
	used, err := using(a.peer, command{Do: do}, func() error { return f(a.cfg.limit(), h) })
	if err != nil {
		return 0, err
	}
	m.add(h, a.cfg.trips(), used)
	return typical(h) / a.cfg.trips(), nil
}

// times takes the time of each call until the limit or, with together above 1, the mean over so many, as active.latency does.
func (l limit) times(h *hdrhistogram.Histogram, together int, once func() error) error {
	n, over, stop := l.begin()
	defer stop()
	for n > 0 && !over.Load() {
		k := min(int64(together), n)
		n -= k
		began := time.Now()
		for range k {
			if err := once(); err != nil {
				return err
			}
		}
		if err := h.RecordValue(int64(time.Since(began)) / k); err != nil {
			return err
		}
	}
	return nil
}
