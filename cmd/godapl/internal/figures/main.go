package figures

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
)

// Command is godapl figures.
var Command = &command.Command{
	Usage: "figures [-path path] [-peer host:port] [-sizes list] [-out folder] [flags]",
	Short: "draw what reads and writes of each size cost",
	Long: `Figures draws what RDMA reads and writes cost over their size, by the native API
and by uDAPL's calls.

	godapl figures                     in the process: half a minute
	godapl figures -path shm
	godapl figures -path tcp
	godapl figures -path verbs:rxe0

There are four figures: the processor time of an operation, of both sides
together; the operations in a second; the bandwidth; and the latency. Each has
reads and writes, with completions that are polled for and with completions
that are waited for, natively and by the calls of compat/dat. They are written
as SVG and as PNG, and a table with all the numbers is printed. A bar on
standard error shows how far it is.

The measuring is done by godapl perf, whose help tells what the numbers mean;
figures runs it for every point, in turns for the two APIs, so that other work
of the machine slows both. Points that an adapter cannot give, such as the
latency of writes over iWARP devices, are left out.

The flags are:

	-path path
		how bytes travel, as perf has it: loop (the default), shm, tcp, or
		verbs:NAME for an RDMA device.
	-peer host:port
		the other side, started there with godapl perf -serve.
	-sizes list
		in bytes (8,64,512,4096,32768,262144,1048576).
	-duration time
		of each phase of each point (100ms).
	-depth n
		operations in flight for rate, bandwidth and processor time (16).
	-out folder
		where the figures go (figures).
	-perf file
		the program that is run as "file perf", instead of this one.

The exit status is 0 if the figures were drawn, 1 if not, and 2 if the command
line is wrong.`,
}

func init() {
	Command.Run = func(ctx context.Context, args []string, to command.Streams) error {
		return run(ctx, args, to.Out, to.Err)
	}
}

// config is what the flags say.
type config struct {
	path, peer, out, perf string
	sizes                 []int
	duration              time.Duration
	depth                 int
}

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	cfg, err := parse(args, out)
	if err != nil {
		return err
	}
	if cfg.perf == "" {
		if cfg.perf, err = os.Executable(); err != nil {
			return err
		}
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

// parse reads the command line. For -h it writes the help to out. Its errors are misuse.
func parse(args []string, out io.Writer) (*config, error) {
	c := &config{}
	f := flag.NewFlagSet("figures", flag.ContinueOnError)
	f.StringVar(&c.path, "path", "loop", "")
	f.StringVar(&c.peer, "peer", "", "")
	sizes := f.String("sizes", "8,64,512,4096,32768,262144,1048576", "")
	f.DurationVar(&c.duration, "duration", 100*time.Millisecond, "")
	f.IntVar(&c.depth, "depth", 16, "")
	f.StringVar(&c.out, "out", "figures", "")
	f.StringVar(&c.perf, "perf", "", "")
	if err := Command.Parse(f, args, command.Streams{Out: out}); err != nil {
		return nil, err
	}
	for word := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return nil, command.Misuse("-sizes: %q is no number of bytes", word)
		}
		c.sizes = append(c.sizes, n)
	}
	if c.depth < 1 || c.duration <= 0 {
		return nil, command.Misuse("-depth and -duration must be more than 0")
	}
	return c, nil
}
