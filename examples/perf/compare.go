package main

import (
	"context"
	"fmt"
	"slices"
)

// ratio is a comparison: medians of as many rounds.
type ratio struct {
	What   string  `json:"what"`
	Unit   string  `json:"unit"`
	Ours   float64 `json:"ours"`
	Theirs float64 `json:"theirs"`
	Ratio  float64 `json:"ratio"`
	Rounds int     `json:"rounds"`
}

// A contest is two things to measure in turns.
type contest struct {
	what, unit   string
	do           string // what the peer does during ours
	ours, theirs func() (float64, error)
}

// checkVs refuses what there is nothing to compare with.
func (c *config) checkVs() error {
	switch {
	case c.Vs == "" || c.Vs == "one":
		return nil
	case c.Vs != "raw":
		return fmt.Errorf("no comparison %q: there are raw and one", c.Vs)
	case c.Path == "tcp" && c.Op == "send" && c.Mode == "poll" && !rawPolls:
		return fmt.Errorf("-vs raw of polled messages needs Linux; there is -mode wait")
	case c.Path == "tcp" && (c.Op == "send" || c.Op == "write"), c.Path == "loop" && c.Op == "write":
		return nil
	}
	return fmt.Errorf("there is nothing raw to compare %s over %s with: there is send and write over tcp, write over loop", c.Op, c.Path)
}

// compare measures in turns, so that what else the machine does falls on both.
// Who begins changes, too.
func (a *active) compare(ctx context.Context) (*ratio, error) {
	c, end, err := a.contest(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	var ours, theirs []float64
	one := func() error {
		if err := a.tell(c.do); err != nil {
			return err
		}
		x, err := c.ours()
		ours = append(ours, x)
		if err != nil {
			return err
		}
		return a.tell("idle")
	}
	other := func() error {
		x, err := c.theirs()
		theirs = append(theirs, x)
		return err
	}
	for i := range a.cfg.Rounds {
		first, second := one, other
		if i%2 == 1 {
			first, second = other, one
		}
		if err := first(); err != nil {
			return nil, err
		}
		if err := second(); err != nil {
			return nil, err
		}
	}
	r := &ratio{What: c.what, Unit: c.unit, Ours: median(ours), Theirs: median(theirs), Rounds: a.cfg.Rounds}
	r.Ratio = round(r.Ours/r.Theirs, 1000)
	return r, nil
}

func median(x []float64) float64 {
	slices.Sort(x)
	if n := len(x); n%2 == 0 {
		return (x[n/2-1] + x[n/2]) / 2
	}
	return x[len(x)/2]
}

// contest is the comparison that the flags ask for. Afterwards end has to be
// called.
func (a *active) contest(ctx context.Context) (c *contest, end func(), err error) {
	if a.cfg.Vs == "one" {
		return &contest{
			what: fmt.Sprintf("%d endpoints against one", a.cfg.Endpoints), unit: "ns/op", do: a.during("rate"),
			ours:   func() (float64, error) { return a.perOp(a.cfg.Endpoints) },
			theirs: func() (float64, error) { return a.perOp(1) },
		}, func() {}, nil
	}
	if a.cfg.Path == "loop" {
		return &contest{what: "write against copy", unit: "MB/s", do: a.during("rate"), ours: a.bandwidth, theirs: a.copying},
			func() {}, nil
	}
	return a.rawContest(ctx)
}

func (a *active) perOp(endpoints int) (float64, error) {
	n, took, err := a.rate(a.cfg.limit(), endpoints)
	return float64(took) / float64(max(1, n)), err
}

func (a *active) bandwidth() (float64, error) {
	n, took, err := a.rate(a.cfg.limit(), a.cfg.Endpoints)
	return float64(n) * float64(a.cfg.Size) / took.Seconds() / 1e6, err
}

// halfTrip is the median of the latency one way.
func (a *active) halfTrip() (float64, error) {
	h := newHistogram()
	err := a.latency(a.cfg.limit(), h)
	return float64(h.ValueAtQuantile(50)) / 2, err
}
