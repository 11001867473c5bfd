// Command figures draws what RDMA reads and writes cost over their size, by the
// native API and by uDAPL's calls.
//
//	go run ./examples/figures                    # in the process: half a minute
//	go run ./examples/figures -path shm
//	go run ./examples/figures -path tcp
//	go run ./examples/figures -path verbs:rxe0 -perf ./perf
//
// There are four figures: the processor time of an operation, of both sides together;
// the operations in a second; the bandwidth; and the latency. Each has reads and
// writes, with completions that are polled for and with completions that are waited
// for, natively and by the calls of compat/dat. They are written as SVG and as PNG, and
// a table with all the numbers is printed.
//
// The measuring is done by examples/perf, whose comment tells what the numbers mean;
// figures runs it for every point, in turns for the two APIs, so that what else the
// machine does falls on both. Points that an adapter cannot give, such as the latency
// of writes over iWARP devices, are left out.
//
// # Flags
//
//	-path PATH       how bytes travel, as perf has it: loop, shm, tcp, verbs:NAME
//	-peer HOST:PORT  the other side, started there with perf -serve
//	-sizes LIST      in bytes (8,64,512,4096,32768,262144,1048576)
//	-duration TIME   of each phase of each point (100ms)
//	-depth N         operations in flight for rate, bandwidth and processor time (16)
//	-out FOLDER      where the figures go (figures)
//	-perf FILE       a perf that was built already; else go build makes one
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// config is what the flags say.
type config struct {
	path, peer, out, perf string
	sizes                 []int
	duration              time.Duration
	depth                 int
}

func main() {
	err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	cfg, err := parse(args, errs)
	if err != nil {
		return err
	}
	if cfg.perf == "" {
		fmt.Fprintln(errs, "building perf")
		made, err := build(ctx)
		if err != nil {
			return err
		}
		defer os.RemoveAll(made)
		cfg.perf = filepath.Join(made, "perf")
	}
	points, err := cfg.measure(ctx, errs)
	if err != nil {
		return err
	}
	if err := table(out, points); err != nil {
		return err
	}
	if err := os.MkdirAll(cfg.out, 0o755); err != nil {
		return err
	}
	for _, f := range figures {
		files, err := f.draw(cfg, points)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, strings.Join(files, " "))
	}
	return nil
}

func parse(args []string, errs io.Writer) (*config, error) {
	c := &config{}
	f := flag.NewFlagSet("figures", flag.ContinueOnError)
	f.SetOutput(errs)
	f.StringVar(&c.path, "path", "loop", "how bytes travel: loop, shm, tcp, or verbs:`NAME` for an RDMA device")
	f.StringVar(&c.peer, "peer", "", "the other side is at `HOST:PORT`, started there with perf -serve")
	sizes := f.String("sizes", "8,64,512,4096,32768,262144,1048576", "`bytes` of an operation")
	f.DurationVar(&c.duration, "duration", 100*time.Millisecond, "of each phase of each point")
	f.IntVar(&c.depth, "depth", 16, "operations in flight, but for the latency")
	f.StringVar(&c.out, "out", "figures", "`folder` for the figures")
	f.StringVar(&c.perf, "perf", "", "a perf that was built already")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("%q is not a flag", f.Arg(0))
	}
	for word := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-sizes: %q is no number of bytes", word)
		}
		c.sizes = append(c.sizes, n)
	}
	if c.depth < 1 || c.duration <= 0 {
		return nil, errors.New("-depth and -duration must be more than 0")
	}
	return c, nil
}
