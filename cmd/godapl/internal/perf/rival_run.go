package perf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"
)

// contestRival is with a rival's program.
func (a *active) contestRival(ctx context.Context) (*contest, error) {
	r, test, err := a.cfg.rival()
	if err != nil {
		return nil, err
	}
	cfg := *a.cfg
	cfg.address = a.adapter.Attributes().Address
	n, err := r.calibrate(ctx, &cfg, test)
	if err != nil {
		return nil, err
	}
	c := &contest{what: fmt.Sprintf("%s %s against %s", cfg.Op, r.tests[test].phase, strings.TrimSpace(r.program+" "+test))}
	theirs := func(pick func(figures) float64) func() (float64, error) {
		return func() (float64, error) {
			f, err := r.run(ctx, &cfg, test, n)
			return pick(f), err
		}
	}
	switch {
	case r.tests[test].phase == "latency":
		c.unit = "ns"
		c.ours, c.theirs = a.telling("latency", func() (float64, error) { return a.medianTrip(cmp.Or(r.together, tripsTimed)) }), theirs(func(f figures) float64 { return f.latency })
	case a.cfg.Size < 4096:
		c.unit = "ops/s"
		c.ours, c.theirs = a.telling("rate", a.perSecond), theirs(func(f figures) float64 { return f.rate })
	default:
		c.unit = "MB/s"
		c.ours = a.telling("rate", a.bandwidth)
		c.theirs = theirs(func(f figures) float64 { return f.rate * float64(a.cfg.Size) / 1e6 })
	}
	return c, nil
}

// calibrate finds how many iterations last as long as a phase of ours.
func (r *rival) calibrate(ctx context.Context, cfg *config, test string) (n int64, err error) {
	if cfg.N > 0 {
		return cfg.N, nil
	}
	n = 2000
	f, err := r.run(ctx, cfg, test, n)
	if err != nil {
		return 0, err
	}
	if r.tests[test].phase == "latency" {
		f.rate /= cfg.trips() // an iteration is a round trip
	}
	return max(n, int64(cfg.Duration.Seconds()*f.rate)), nil
}

// run runs both sides of the program. If another program has taken the port meanwhile,
// it tries another one.
func (r *rival) run(ctx context.Context, cfg *config, test string, n int64) (f figures, err error) {
	for range portTries {
		f, err = r.runOnce(ctx, cfg, test, n)
		if err == nil || !strings.Contains(strings.ToLower(err.Error()), "already in use") {
			break
		}
	}
	return f, err
}

const portTries = 5

func (r *rival) runOnce(ctx context.Context, cfg *config, test string, n int64) (figures, error) {
	port, err := freePort(ctx)
	if err != nil {
		return figures{}, err
	}
	x := race{port: port, size: cfg.Size, n: n, test: test, trial: r.tests[test],
		device: strings.TrimPrefix(cfg.Path, devices), address: cfg.address, sleeps: cfg.Mode == "wait"}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server, said := r.command(ctx, cfg, test, r.server(x))
	if err := server.Start(); err != nil {
		return figures{}, err
	}
	over := make(chan error, 1)
	go func() { over <- server.Wait() }()
	select {
	case <-time.After(r.rest):
	case <-ctx.Done():
	}
	out, err := r.connect(ctx, cfg, x, over)
	if err != nil {
		cancel()
	}
	if failed := <-over; err == nil && failed != nil {
		err = failed
	}
	if err != nil {
		return figures{}, fmt.Errorf("%s: %w: %s", r.named(test), err, tail(out+said.String()))
	}
	return r.parse(out, cfg.Size)
}

// connectTime is how long a rival's server may take to listen.
const connectTime = 10 * time.Second

// connect runs the client, again as long as the server does not listen yet. It
// leaves the server's end in over.
func (r *rival) connect(ctx context.Context, cfg *config, x race, over chan error) (out string, err error) {
	retry := time.NewTicker(20 * time.Millisecond)
	defer retry.Stop()
	for late := time.After(connectTime); ; {
		client, said := r.command(ctx, cfg, x.test, r.client(x))
		if err = client.Run(); err == nil {
			return said.String(), nil
		}
		if exit := new(exec.ExitError); !errors.As(err, &exit) || !refused(said.String()) {
			return said.String(), err
		}
		select {
		case <-retry.C:
		case <-late:
			return said.String(), err
		case <-ctx.Done():
			return said.String(), context.Cause(ctx)
		case failed := <-over:
			over <- failed
			return said.String(), errors.Join(errors.New("the server has ended"), failed)
		}
	}
}

// refused reports whether a client failed because the server did not listen yet.
func refused(out string) bool { return strings.Contains(strings.ToLower(out), "connection refused") }

func (r *rival) command(ctx context.Context, cfg *config, test string, args []string) (*exec.Cmd, *strings.Builder) {
	m := r.paths[cfg.kind()]
	cmd := exec.CommandContext(ctx, r.named(test), append(append([]string(nil), m.args...), args...)...)
	cmd.Env = append(os.Environ(), m.env...)
	cmd.WaitDelay = time.Second
	said := new(strings.Builder)
	cmd.Stdout, cmd.Stderr = said, said
	return cmd, said
}

// freePort is an unused port.
func freePort(ctx context.Context) (int, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port, nil
}

// tail is the end of a program's output.
func tail(out string) string {
	out = strings.TrimSpace(out)
	return out[max(0, len(out)-400):]
}
