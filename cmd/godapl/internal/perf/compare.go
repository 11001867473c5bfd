package perf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// ratio is a comparison: medians over the rounds. Ratio is the median of the rounds'
// ratios: changes of the machine from one second to the next, of its caches and clocks,
// affect both sides of a round.
type ratio struct {
	What   string  `json:"what"`
	Unit   string  `json:"unit"`
	Ours   float64 `json:"ours"`
	Theirs float64 `json:"theirs"`
	Ratio  float64 `json:"ratio"`
	Low    float64 `json:"ratio_low"`
	High   float64 `json:"ratio_high"`
	Rounds int     `json:"rounds"`
	*Parts
}

func newRatio(what, unit string, ours, theirs []float64) *ratio {
	each := make([]float64, len(ours))
	for i := range each {
		each[i] = digits(ours[i] / theirs[i])
	}
	return &ratio{
		What: what, Unit: unit, Ours: median(ours), Theirs: median(theirs), Rounds: len(each),
		Ratio: median(each), Low: slices.Min(each), High: slices.Max(each),
	}
}

// digits rounds to four significant digits: if one side had to wait for time slices and
// the other did not, a ratio can be a very small number.
func digits(x float64) float64 {
	if x <= 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	return round(x, math.Pow(10, 3-math.Floor(math.Log10(x))))
}

// typical is the median in nanoseconds. It is never 0: a coarse clock may measure 0 for
// an operation that took some time.
func typical(h *hdrhistogram.Histogram) float64 { return float64(max(1, h.ValueAtQuantile(50))) }

// A contest is two things to measure in turns.
type contest struct {
	what, unit   string
	ours, theirs func() (float64, error)
	end          func() error // if not nil, afterwards
	meters       *[2]meter    // of ours and theirs, if they tell more than that figure
}

// checkVs refuses configurations that cannot be compared.
func (c *config) checkVs() error {
	switch {
	case c.Vs == "" || c.Vs == "one" || c.Vs == "native" && c.API != "native":
		return nil
	case c.Vs == "native" || c.API != "native":
		return fmt.Errorf("-api dat and vipl compare with -vs native, and nothing else does")
	case c.Vs == "polled" && (c.Path != "tcp" || c.Op != "write"):
		return fmt.Errorf("-vs polled is for -path tcp -op write")
	case c.Vs == "polled" && !rawPolls:
		return fmt.Errorf("-vs polled needs Linux; there is -vs raw")
	case c.Vs == "polled":
		return nil
	case plains[c.Vs].what != "":
		return c.checkPlain()
	case c.Vs != "raw":
		_, _, err := c.rival()
		return err
	case c.Path == "tcp" && c.Op == "send" && c.Mode == "poll" && !rawPolls:
		return fmt.Errorf("-vs raw of polled messages needs Linux; there is -mode wait")
	case c.Path == "shm" && c.Op == "send" && c.Mode != "poll" && c.Peer == "":
		return nil
	case c.Path == "tcp" && (c.Op == "send" || c.Op == "write"), c.Path == "loop" && c.Op == "write":
		return nil
	}
	return fmt.Errorf("there is nothing raw to compare %s over %s with: there is send and write over tcp, write over loop, and send over shm that is not polled", c.Op, c.Path)
}

// compare measures in turns, so that other load on the machine affects both.
func (a *active) compare(ctx context.Context, errs io.Writer) (r *ratio, err error) {
	c, err := a.contest(ctx, errs)
	if err != nil {
		return nil, err
	}
	if a.cfg.TLS {
		c.what += ", both with TLS"
	}
	if c.end != nil {
		defer func() { err = errors.Join(err, c.end()) }()
	}
	ours, theirs, err := c.turns(a.cfg.Rounds)
	if err != nil {
		return nil, err
	}
	r = newRatio(c.what, c.unit, ours, theirs)
	if c.meters != nil {
		r.Parts = newParts(&c.meters[0], &c.meters[1])
	}
	return r, nil
}

// turns measures both, rounds times, in alternating order.
func (c *contest) turns(rounds int) (ours, theirs []float64, err error) {
	one := func(f func() (float64, error), to *[]float64) {
		if err == nil {
			var x float64
			x, err = f()
			*to = append(*to, x)
		}
	}
	for i := range rounds {
		if i%2 == 0 {
			one(c.ours, &ours)
		}
		one(c.theirs, &theirs)
		if i%2 == 1 {
			one(c.ours, &ours)
		}
	}
	return ours, theirs, err
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	if n := len(x); n%2 == 0 {
		return (x[n/2-1] + x[n/2]) / 2
	}
	return x[len(x)/2]
}

// contest is the comparison that the flags ask for.
func (a *active) contest(ctx context.Context, errs io.Writer) (*contest, error) {
	switch c := a.cfg; {
	case c.Vs == "one":
		return a.contestOne(ctx, errs)
	case c.Vs == "native":
		return a.contestNative(ctx, errs)
	case c.Vs == "polled":
		return &contest{what: "write against a bare polled stream", unit: "MB/s",
			ours: a.telling("rate", a.bandwidth), theirs: func() (float64, error) { return a.rawStream(ctx, "raw polled stream", c.Size) }}, nil
	case plains[c.Vs].what != "":
		return a.contestPlain(ctx), nil
	case c.Vs != "raw":
		return a.contestRival(ctx)
	case c.wantsEvents():
		return &contest{what: "send against a ping-pong of eventfds", unit: "ns",
			ours: a.telling("latency", a.trip), theirs: a.rawEvents}, nil
	case !c.processes() && c.Op == "write":
		return &contest{what: "write against copy", unit: "MB/s",
			ours: a.telling("rate", a.bandwidth), theirs: a.copying}, nil
	case c.Op == "write":
		return &contest{what: "write against a stream of net.Conn at its best", unit: "MB/s",
			ours: a.telling("rate", a.bandwidth), theirs: func() (float64, error) { return a.bestStream(ctx) }}, nil
	case c.Mode == "poll":
		return &contest{what: "send against a polled ping-pong", unit: "ns",
			ours: a.telling("latency", a.trip), theirs: func() (float64, error) { return a.rawPing(ctx, "raw poll") }}, nil
	}
	return &contest{what: "send against a ping-pong of net.Conn", unit: "ns",
		ours: a.telling("latency", a.trip), theirs: func() (float64, error) { return a.rawPing(ctx, "raw wait") }}, nil
}

// contestOne compares with another pair of sides, which have one endpoint each.
func (a *active) contestOne(ctx context.Context, errs io.Writer) (*contest, error) {
	one := *a.cfg
	one.Endpoints = 1
	b, err := open(ctx, &one, errs)
	if err != nil {
		return nil, err
	}
	return &contest{what: fmt.Sprintf("%d endpoints against one", a.cfg.Endpoints), unit: "ns/op",
		ours: a.telling("rate", a.perOp), theirs: b.telling("rate", b.perOp), end: b.close}, nil
}

// contestNative compares with another pair of sides, both native. Like the calls of the
// other API, the native ones use the program's own memory on the active side, and take as
// many completions at a time.
func (a *active) contestNative(ctx context.Context, errs io.Writer) (*contest, error) {
	native := *a.cfg
	native.API = "native"
	own := native
	own.Slices = true
	b, err := openBoth(ctx, &own, &native, errs)
	if err != nil {
		return nil, err
	}
	return &contest{what: map[string]string{"dat": "uDAPL", "vipl": "VIPL"}[a.cfg.API] + "'s calls against native ones", unit: "ns/op",
		ours: a.telling("rate", a.perOp), theirs: b.telling("rate", b.perOp), end: b.close}, nil
}

// telling has the peer do its part while f runs, and nothing afterwards.
func (a *active) telling(phase string, f func() (float64, error)) func() (float64, error) {
	return func() (float64, error) {
		if err := a.tell(a.during(phase)); err != nil {
			return 0, err
		}
		x, err := f()
		return x, errors.Join(err, a.tell("idle"))
	}
}

func (a *active) perOp() (float64, error) {
	n, took, err := a.rate(a.cfg.limit())
	return float64(took) / float64(max(1, n)), err
}

func (a *active) bandwidth() (float64, error) {
	n, took, err := a.rate(a.cfg.limit())
	return float64(n) * float64(a.cfg.Size) / took.Seconds() / 1e6, err
}

func (a *active) perSecond() (float64, error) {
	ns, err := a.perOp()
	return 1e9 / ns, err
}

// tripsTimed is how many operations are timed together in comparisons: the cost of
// reading the clock differs between the sides, and is that of a small message.
const tripsTimed = 16

// trip is the median of the latency, one way if the operation has an answer.
func (a *active) trip() (float64, error) { return a.medianTrip(tripsTimed) }

// medianTrip is trip, with so many operations timed together.
func (a *active) medianTrip(together int) (float64, error) {
	h := newHistogram()
	err := a.latency(a.cfg.limit(), together, h)
	return typical(h) / a.cfg.trips(), err
}
