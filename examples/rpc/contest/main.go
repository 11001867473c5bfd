package contest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// MaxDepth is the most calls that a client has under way.
const MaxDepth = 32

// config is what the flags say.
type config struct {
	contenders             []Contender
	clients, depths, sizes []int
	duration               time.Duration
	calls, rounds          int
	load                   bool
	figures                string
}

// Main is the command, without the program's name in args. The processes that it starts are of the
// same program, which must pass their arguments to Main.
func Main(ctx context.Context, all []Contender, args []string, out, errs io.Writer) error {
	if len(args) > 0 && args[0] == "serve" {
		return serve(ctx, all, args[1:], os.Stdin, out)
	}
	if len(args) == 1 && args[0] == "load" {
		return beBusy(os.Stdin)
	}
	c, err := parse(all, args, errs)
	if err != nil {
		return err
	}
	if c.load {
		stop, err := startLoads(ctx, runtime.NumCPU(), errs)
		if err != nil {
			return err
		}
		defer stop()
	}
	if c.calls == 0 {
		fmt.Fprintf(errs, "this takes about %v\n", c.estimate())
	}
	var results []result
	for _, size := range c.sizes {
		part, err := c.measureAll(ctx, size, errs)
		if err != nil {
			return err
		}
		results = append(results, part...)
	}
	if err := table(out, results); err != nil {
		return err
	}
	return c.draw(out, results)
}

// estimate is how long all turns take, without connecting and the pauses between them.
func (c *config) estimate() time.Duration {
	turns := len(c.sizes) * len(c.depths) * len(c.clients) * len(c.contenders) * (c.rounds + 1)
	return (time.Duration(turns) * c.duration).Round(time.Second)
}

// measureAll measures all settings of one size.
func (c *config) measureAll(ctx context.Context, size int, errs io.Writer) (results []result, err error) {
	servers, stop, err := c.startServers(ctx, size, errs)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	for _, depth := range c.depths {
		for _, n := range c.clients {
			s := Setting{Clients: n, Depth: depth, Size: size}
			fleets, err := c.measure(ctx, s, servers)
			if err != nil {
				return nil, err
			}
			results = append(results, summary(s, fleets)...)
		}
	}
	return results, nil
}

func parse(all []Contender, args []string, errs io.Writer) (c *config, err error) {
	c = new(config)
	f := flag.NewFlagSet("compare", flag.ContinueOnError)
	f.SetOutput(errs)
	names := f.String("contenders", "", "`names` of some of them; all if empty; mailbox-siw0 is of the RDMA device siw0")
	clients := f.String("clients", "1,10,100,1000", "`numbers` of clients")
	depths := f.String("depths", "1,16", fmt.Sprintf("`numbers` of calls that a client has under way, up to %d; 1 is a closed loop, more are pipelined by one goroutine", MaxDepth))
	sizes := f.String("sizes", "64,4096", "`bytes` of a request and of its answer: 64 or 4096")
	f.DurationVar(&c.duration, "duration", 300*time.Millisecond, "of each turn")
	f.IntVar(&c.calls, "calls", 0, "of each lane at each turn, instead of a duration")
	f.IntVar(&c.rounds, "rounds", 7, "turns of each contender; the medians are told")
	f.BoolVar(&c.load, "load", false, "beside a busy loop for each processor")
	f.StringVar(&c.figures, "figures", "", "`folder` for figures of the calls in a second, as SVG")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("%q is not a flag", f.Arg(0))
	}
	if c.contenders, err = choose(all, *names); err != nil {
		return nil, err
	}
	for _, list := range []struct {
		text string
		into *[]int
		most int
	}{{*clients, &c.clients, 10_000}, {*depths, &c.depths, MaxDepth}, {*sizes, &c.sizes, 4096}} {
		for word := range strings.SplitSeq(list.text, ",") {
			n, err := strconv.Atoi(word)
			switch {
			case list.into == &c.sizes && n != 64 && n != 4096:
				return nil, fmt.Errorf("-sizes are 64 and 4096, not %q", word)
			case err != nil || n < 1 || n > list.most:
				return nil, fmt.Errorf("%q is no number from 1 to %d", word, list.most)
			}
			*list.into = append(*list.into, n)
		}
	}
	if c.rounds < 1 || c.calls < 0 || c.duration <= 0 {
		return nil, errors.New("-rounds and -duration must be more than 0, and -calls not negative")
	}
	return c, nil
}
