package perf

import (
	"context"
	"errors"
	"io"
)

// measure opens both sides, runs all phases, and ends both sides. The result is
// nil if there was nothing to measure.
func measure(ctx context.Context, cfg *config, errs io.Writer) (res *result, err error) {
	a, err := open(ctx, cfg, errs)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	return a.measure(ctx, errs)
}

func (a *active) measure(ctx context.Context, errs io.Writer) (*result, error) {
	res := newResult(a.cfg)
	err := a.phases(res)
	if err == nil && a.cfg.Vs != "" {
		res.Vs, err = a.compare(ctx, errs)
	}
	res.Errors = a.errors
	if err != nil {
		res.Errors = max(1, a.errors)
		if cause := context.Cause(ctx); cause != nil {
			err = errors.Join(cause, err)
		}
	}
	return res, err
}

// open opens and connects both sides. The end of the context ends everything
// that is posted or waits.
func open(ctx context.Context, cfg *config, errs io.Writer) (*active, error) {
	return openBoth(ctx, cfg, cfg, errs)
}

// openBoth is open for sides whose configurations may differ.
func openBoth(ctx context.Context, ours, theirs *config, errs io.Writer) (*active, error) {
	p, address, err := openPeer(ctx, theirs, errs)
	if err != nil {
		return nil, err
	}
	a, err := openActive(ctx, ours, p, address)
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	a.stop = context.AfterFunc(ctx, func() { a.end() })
	return a, nil
}

func (a *active) close() error {
	a.stop()
	return errors.Join(a.end(), a.peer.close())
}

// phases are latency and rate, each with a warm-up.
func (a *active) phases(res *result) error {
	if a.cfg.Only != "rate" {
		if err := a.latencyPhase(res); err != nil {
			return err
		}
	}
	if a.cfg.Only != "latency" {
		if err := a.ratePhase(res); err != nil {
			return err
		}
	}
	return a.tell("idle")
}

func (a *active) latencyPhase(res *result) error {
	do := a.during("latency")
	if err := a.tell(do); err != nil {
		return err
	}
	if err := a.latency(a.cfg.limit().part(10), 1, newHistogram()); err != nil {
		return err
	}
	used, err := using(a.peer, command{Do: do}, func() error { return a.latency(a.cfg.limit(), 1, res.latency) })
	res.latencyUsed = used
	return err
}

func (a *active) ratePhase(res *result) error {
	do := a.during("rate")
	if err := a.tell(do); err != nil {
		return err
	}
	if _, _, err := a.rate(a.cfg.limit().part(10)); err != nil {
		return err
	}
	used, err := using(a.peer, command{Do: do}, func() (err error) {
		res.Ops, res.took, err = a.rate(a.cfg.limit())
		return err
	})
	res.used = used
	return err
}

// during is the peer's task in a phase. In a process of its own it polls if polling is
// measured. In the same process, and where a device does the work, it stays idle if it
// has no part in the operation, since it would only take a processor away.
func (a *active) during(phase string) string {
	switch {
	case phase == "latency" && a.cfg.watches():
		return "watch"
	case phase == "latency" && ops[a.cfg.Op].oneWay:
		return "echo"
	case phase == "rate" && a.cfg.Op == "send":
		return "take"
	case a.cfg.processes() && a.cfg.Mode == "poll" && !a.cfg.hardware():
		return "poll"
	}
	return "idle"
}

func (a *active) tell(do string) error {
	_, err := a.peer.do(command{Do: do})
	return err
}
