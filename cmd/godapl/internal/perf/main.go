package perf

import (
	"context"
	"errors"
	"fmt"
	"io"

	tool "github.com/godapl/godapl/cmd/godapl/internal/command"
)

// Command is godapl perf.
var Command = &tool.Command{
	Usage: "perf [-path path] [-op op] [-size bytes] [-mode mode] [-vs other] [flags]",
	Short: "measure latency, rate and bandwidth, and compare",
	Long:  helpFlags + helpMeasured + helpCompared + helpRest,
}

func init() { Command.Run = start }

// start executes a command line. Processes that perf itself starts have a first argument
// that is no flag.
func start(ctx context.Context, args []string, to tool.Streams) error {
	if len(args) > 1 && args[0] == "peer" { // we are the second process
		return servePeer(ctx, args[1], to.In, to.Out)
	}
	if len(args) > 0 {
		switch args[0] {
		case "load":
			return beBusy(to.In)
		case "restricted": // we run on the processors of -cpus
			return execute(whileOpen(ctx, to.In), args[1:], true, to.Out, to.Err)
		}
	}
	return run(ctx, args, to.Out, to.Err)
}

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	return execute(ctx, args, false, out, errs)
}

// execute does what the flags say. again is true on the processors of -cpus.
func execute(ctx context.Context, args []string, again bool, out, errs io.Writer) error {
	cfg, err := parse(args, out)
	if err != nil {
		return err
	}
	switch {
	case cfg.Services != "":
		return measureServices(ctx, cfg, out, errs)
	case cfg.CPUs > 0 && !again:
		return restricted(ctx, cfg, args, out, errs)
	case cfg.Serve != "":
		return serveHost(ctx, cfg, errs)
	}
	return measureOnce(ctx, cfg, out, errs)
}

// measureOnce measures one configuration, and prints the result.
func measureOnce(ctx context.Context, cfg *config, out, errs io.Writer) error {
	ctx, cancel := context.WithTimeoutCause(ctx, cfg.Timeout, fmt.Errorf("not done after %v (-timeout)", cfg.Timeout))
	defer cancel()
	if err := cfg.certify(); err != nil {
		return err
	}
	stop, err := profile(cfg.CPUProfile)
	if err != nil {
		return err
	}
	busy, err := startLoads(ctx, cfg.Load, errs)
	if err != nil {
		return errors.Join(err, stop())
	}
	work := measure
	if cfg.Connections > 0 {
		work = measureCalls
	}
	res, err := work(ctx, cfg, errs)
	err = errors.Join(err, busy.stop(), stop())
	if res == nil {
		return err
	}
	if cfg.JSON {
		return errors.Join(err, res.json(out))
	}
	return errors.Join(err, res.table(out))
}
