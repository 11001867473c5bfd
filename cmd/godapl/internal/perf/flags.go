package perf

import (
	"flag"
	"io"
	"time"

	tool "github.com/godapl/godapl/cmd/godapl/internal/command"
)

// parse reads the command line. For -h it writes the help to out. Its errors are misuse.
func parse(args []string, out io.Writer) (*config, error) {
	c := &config{}
	f := c.flags()
	if err := Command.Parse(f, args, tool.Streams{Out: out}); err != nil {
		return nil, err
	}
	if err := c.checkServices(f); err != nil {
		return nil, tool.Misuse("%w", err)
	}
	if err := c.check(); err != nil {
		return nil, tool.Misuse("%w", err)
	}
	return c, nil
}

// flags are the flags of the command line, which set c. The help describes them.
func (c *config) flags() *flag.FlagSet {
	f := flag.NewFlagSet("perf", flag.ContinueOnError)
	f.StringVar(&c.Path, "path", "loop", "")
	f.StringVar(&c.Serve, "serve", "", "")
	f.StringVar(&c.Peer, "peer", "", "")
	f.StringVar(&c.Services, "services", "", "")
	f.StringVar(&c.Op, "op", "write", "")
	f.IntVar(&c.Size, "size", 8, "")
	f.StringVar(&c.Mode, "mode", "poll", "")
	f.IntVar(&c.Depth, "depth", 1, "")
	f.IntVar(&c.List, "list", 0, "")
	f.IntVar(&c.Take, "take", 0, "")
	f.IntVar(&c.Places, "places", 0, "")
	f.IntVar(&c.Endpoints, "endpoints", 1, "")
	f.IntVar(&c.Connections, "connections", 0, "")
	f.IntVar(&c.Loops, "loops", 0, "")
	f.IntVar(&c.Burst, "burst", 0, "")
	f.IntVar(&c.Load, "load", 0, "")
	f.IntVar(&c.CPUs, "cpus", 0, "")
	f.DurationVar(&c.Duration, "duration", time.Second, "")
	f.Int64Var(&c.N, "n", 0, "")
	f.StringVar(&c.API, "api", "native", "")
	f.StringVar(&c.Vs, "vs", "", "")
	f.IntVar(&c.Rounds, "rounds", 7, "")
	f.StringVar(&c.Only, "only", "", "")
	f.StringVar(&c.CPUProfile, "cpuprofile", "", "")
	f.BoolVar(&c.Slices, "slices", false, "")
	f.BoolVar(&c.TLS, "tls", false, "")
	f.BoolVar(&c.JSON, "json", false, "")
	f.DurationVar(&c.Timeout, "timeout", 10*time.Minute, "")
	return f
}
