package perf

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// calls are clients that run at the same time.
type calls struct {
	clients int
	run     func(client int, l limit, t *times) error
	times   []times // by client, kept for their memory
}

// all has each client make its calls, and adds their times.
func (c *calls) all(l limit, h *hdrhistogram.Histogram) (took time.Duration, err error) {
	if c.times == nil {
		c.times = make([]times, c.clients)
	}
	var work sync.WaitGroup
	failed := make([]error, c.clients)
	began := time.Now()
	for i := range c.clients {
		c.times[i] = c.times[i][:0]
		share := l
		if l.n > 0 {
			// All of them together make exactly so many.
			if share.n = l.n / int64(c.clients); int64(i) < l.n%int64(c.clients) {
				share.n++
			}
			if share.n == 0 {
				continue // that would be no limit
			}
		}
		work.Go(func() { failed[i] = c.run(i, share, &c.times[i]) })
	}
	work.Wait()
	took = max(time.Since(began), 1) // a coarse clock may measure nothing
	for i := range c.times {
		if err := c.times[i].addTo(h); err != nil {
			return took, err
		}
	}
	for _, err := range failed {
		if err != nil {
			return took, err // the first error: the others are alike
		}
	}
	return took, nil
}

// warm makes some calls before l are measured, at least one by each client.
func (c *calls) warm(l limit) error {
	if l = l.part(10); l.n > 0 {
		l.n = max(l.n, int64(c.clients))
	}
	_, err := c.all(l, newHistogram())
	return err
}

// times are how long each call took.
type times []time.Duration

func (t *times) add(d time.Duration) { *t = append(*t, max(d, 1)) }

func (t *times) addTo(h *hdrhistogram.Histogram) error {
	for _, d := range *t {
		if err := h.RecordValue(int64(d)); err != nil {
			return err
		}
	}
	return nil
}
