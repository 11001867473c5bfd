package contest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

// fleet is the clients of a contender, connected.
type fleet struct {
	Contender
	server  *server
	clients []Client
	stop    func()
	rounds  []round
}

// round is what one contender did at one of its turns.
type round struct {
	calls          int
	rate           float64 // calls in a second
	p50, p99, p999 time.Duration
	cpu            time.Duration // of a call, both sides
}

// measure connects the clients of all contenders and lets them make calls in turns.
func (c *config) measure(ctx context.Context, s Setting, servers map[string]*server) (fleets []*fleet, err error) {
	defer func() {
		for _, f := range fleets {
			f.stop()
		}
	}()
	for _, x := range c.contenders {
		f := &fleet{Contender: x, server: servers[x.Name]}
		if f.clients, f.stop, err = x.Dial(ctx, f.server.address, s); err != nil {
			return fleets, fmt.Errorf("%s: %w", x.Name, err)
		}
		fleets = append(fleets, f)
	}
	for i := range c.rounds + 1 { // the first is for warming up
		for _, f := range fleets {
			r, err := f.round(ctx, s, c)
			if err != nil {
				return fleets, fmt.Errorf("%s: %w", f.Name, err)
			}
			if i > 0 {
				f.rounds = append(f.rounds, r)
			}
		}
	}
	return fleets, nil
}

func (f *fleet) round(ctx context.Context, s Setting, c *config) (r round, err error) {
	runtime.GC()
	theirs, err := f.server.usage()
	if err != nil {
		return r, err
	}
	ours, began := processorTime(), time.Now()
	lanes := make([]*Lane, len(f.clients)*s.Depth)
	for i := range lanes {
		lanes[i] = &Lane{until: began.Add(c.duration), calls: c.calls, number: uint64(i) << 32, took: make([]time.Duration, 0, 64)}
	}
	var all errgroup.Group
	for i, client := range f.clients {
		all.Go(func() error { return client(ctx, lanes[i*s.Depth:(i+1)*s.Depth]) })
	}
	err = all.Wait()
	took, used := time.Since(began), processorTime()-ours
	now, failed := f.server.usage()
	if err := errors.Join(err, failed); err != nil {
		return r, err
	}
	var times []time.Duration
	for _, l := range lanes {
		times = append(times, l.took...)
	}
	if len(times) == 0 {
		return r, errors.New("no call was made")
	}
	slices.Sort(times)
	at := func(share float64) time.Duration { return times[int(share*float64(len(times)-1))] }
	return round{calls: len(times), rate: float64(len(times)) / took.Seconds(), p50: at(0.5), p99: at(0.99), p999: at(0.999),
		cpu: time.Duration((used + now - theirs) / int64(len(times)))}, nil
}

// startServers starts those of all contenders.
func (c *config) startServers(ctx context.Context, size int, errs io.Writer) (servers map[string]*server, stop func() error, err error) {
	servers = map[string]*server{}
	stop = func() (err error) {
		for _, s := range servers {
			err = errors.Join(err, s.stop())
		}
		return err
	}
	for _, x := range c.contenders {
		s, err := start(ctx, x, size, errs)
		if err != nil {
			return nil, nil, errors.Join(fmt.Errorf("%s: %w", x.Name, err), stop())
		}
		servers[x.Name] = s
	}
	return servers, stop, nil
}

// median of a number of all rounds.
func median[T int | float64 | time.Duration](rounds []round, of func(round) T) T {
	var all []T
	for _, r := range rounds {
		all = append(all, of(r))
	}
	slices.Sort(all)
	return all[len(all)/2]
}
