package figures

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
)

// series is one line of a figure.
type series struct{ op, mode, api string }

// point is one measurement. What the adapter cannot give is 0.
type point struct {
	series
	size      int
	cpu       float64 // nanoseconds of processor time for an operation
	rate      float64 // operations in a second
	bandwidth float64 // bytes in a second
	latency   float64 // nanoseconds, the median
}

var (
	ops   = []string{"read", "write"}
	modes = []string{"poll", "wait"}
	apis  = []string{"native", "dat"}
)

// modeNames are what perf's modes mean.
var modeNames = map[string]string{"poll": "polling", "wait": "blocking"}

// measure gets all points. The APIs take turns.
func (c *config) measure(ctx context.Context, errs io.Writer) (all []point, err error) {
	bar := command.NewBar(errs, "measuring", len(c.sizes)*len(ops)*len(modes)*len(apis))
	for _, op := range ops {
		for _, mode := range modes {
			for _, size := range c.sizes {
				for _, api := range apis {
					p, err := c.point(ctx, series{op, mode, api}, size)
					if err != nil {
						return nil, err
					}
					all = append(all, p)
					bar.Add(1)
				}
			}
		}
	}
	return all, bar.Finish()
}

// point measures one: the latency with one operation at a time, the rest with depth.
func (c *config) point(ctx context.Context, s series, size int) (p point, err error) {
	p = point{series: s, size: size}
	rate, err := c.perfRun(ctx, s, size, "rate", c.depth)
	if err != nil {
		return p, err
	}
	p.cpu, p.rate, p.bandwidth = rate.CPU, rate.Ops, rate.Bytes
	latency, err := c.perfRun(ctx, s, size, "latency", 1)
	if err != nil && !strings.Contains(err.Error(), "cannot be measured") {
		return p, err
	}
	p.latency = latency.P50
	return p, nil
}

// numbers are what perf prints, as far as it is wanted here.
type numbers struct {
	P50   float64 `json:"lat_p50_ns"`
	Ops   float64 `json:"ops_per_s"`
	Bytes float64 `json:"bytes_per_s"`
	CPU   float64 `json:"cpu_ns_per_op"`
}

func (c *config) perfRun(ctx context.Context, s series, size int, phase string, depth int) (n numbers, err error) {
	args := []string{"perf", "-json", "-path", c.path, "-op", s.op, "-mode", s.mode, "-api", s.api, "-size", strconv.Itoa(size),
		"-only", phase, "-depth", strconv.Itoa(depth), "-duration", c.duration.String()}
	if c.peer != "" {
		args = append(args, "-peer", c.peer)
	}
	cmd := exec.CommandContext(ctx, c.perf, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == command.Misused { // it got these flags from this command line
			return n, command.Misuse("%s", bytes.TrimPrefix(bytes.TrimSpace(errs.Bytes()), []byte("godapl perf: ")))
		}
		return n, fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(errs.Bytes()))
	}
	if err := json.Unmarshal(out.Bytes(), &n); err != nil {
		return n, fmt.Errorf("perf printed %q: %w", out.Bytes(), err)
	}
	return n, nil
}
