package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// paths are how the bytes can travel.
var paths = map[string]struct {
	adapter   string // for rdma.Open
	processes bool   // the sides are two of them
}{
	"loop": {"soft-loop", false},
	"shm":  {"soft-shm", true},
	"tcp":  {"soft-tcp", true},
}

// travel is how this configuration transfers bytes: by one of paths, or with verbs:NAME
// by the RDMA device of that name.
func (c *config) travel() (adapter string, processes, ok bool) {
	if name, found := strings.CutPrefix(c.Path, devices); found {
		return name, true, name != ""
	}
	p, ok := paths[c.Path]
	return p.adapter, p.processes || c.Peer != "", ok
}

// processes tells whether the sides are two processes.
func (c *config) processes() bool {
	_, two, _ := c.travel()
	return two
}

// hardware tells whether an RDMA device carries the bytes.
func (c *config) hardware() bool { return strings.HasPrefix(c.Path, devices) }

// devices is the prefix of paths over RDMA devices.
const devices = "verbs:"

// kind is the path without the device's name.
func (c *config) kind() string {
	if c.hardware() {
		return "verbs"
	}
	return c.Path
}

// ops are the operations, and whether their latency is half a round trip.
var ops = map[string]struct{ oneWay bool }{
	"send": {true}, "write": {true}, "read": {false}, "fadd": {false},
}

var modes = []string{"poll", "wait", "chan", "batch"}

// config is the settings from the flags. Both sides have the same.
type config struct {
	Path, Op, Mode, API, Vs, Only string
	Serve, Peer                   string
	CPUProfile                    string
	Size, Depth, List, Places     int
	Take                          int // completions at a time
	Endpoints, Rounds             int
	N                             int64
	Duration, Timeout             time.Duration
	JSON, Slices                  bool

	address string // of the device, once it has been opened
}

func parse(args []string, errs io.Writer) (*config, error) {
	c := &config{}
	f := flag.NewFlagSet("perf", flag.ContinueOnError)
	f.SetOutput(errs)
	f.StringVar(&c.Path, "path", "loop", "how bytes travel: loop, shm, tcp, or verbs:`NAME` for an RDMA device")
	f.StringVar(&c.Serve, "serve", "", "be the other side, for one that is told -peer `HOST:PORT`; takes -path only")
	f.StringVar(&c.Peer, "peer", "", "the other side is at `HOST:PORT`, started there with -serve")
	f.StringVar(&c.Op, "op", "write", "operation: send, write, read or fadd")
	f.IntVar(&c.Size, "size", 8, "`bytes` of one operation")
	f.StringVar(&c.Mode, "mode", "poll", "how completions are taken: poll, wait, chan or batch")
	f.IntVar(&c.Depth, "depth", 1, "operations in flight, of all endpoints together")
	f.IntVar(&c.List, "list", 0, "operations per doorbell (1; with -mode batch half of -depth)")
	f.IntVar(&c.Take, "take", 0, "completions taken at a time, at most, with -mode poll or wait (64; with -api dat 1, and more than that polls ahead)")
	f.IntVar(&c.Places, "places", 0, "places in memory that operations use in turn (-depth)")
	f.IntVar(&c.Endpoints, "endpoints", 1, "connected endpoints, used in turn")
	f.DurationVar(&c.Duration, "duration", time.Second, "of each phase")
	f.Int64Var(&c.N, "n", 0, "operations of each phase, instead of -duration")
	f.StringVar(&c.API, "api", "native", "native or dat")
	f.StringVar(&c.Vs, "vs", "", "compare in turns: raw, polled, one (endpoint), native, or another library's program: ucx, libfabric, perftest, ucx:`TEST`")
	f.IntVar(&c.Rounds, "rounds", 7, "of the comparison")
	f.StringVar(&c.Only, "only", "", "one phase: latency or rate")
	f.StringVar(&c.CPUProfile, "cpuprofile", "", "write profiles to `file`, and file.peer for a second process")
	f.BoolVar(&c.Slices, "slices", false, "memory is the program's own slices, not the library's")
	f.BoolVar(&c.JSON, "json", false, "print one object")
	f.DurationVar(&c.Timeout, "timeout", 10*time.Minute, "give up after this time")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("%q is not a flag", f.Arg(0))
	}
	return c, c.check()
}

// check refuses configurations that cannot be measured, and fills in -list.
func (c *config) check() error {
	if _, _, ok := c.travel(); !ok {
		return fmt.Errorf("no path %q: there are %s, and verbs:NAME", c.Path, names(paths))
	}
	if _, ok := ops[c.Op]; !ok {
		return fmt.Errorf("no operation %q: there are %s", c.Op, names(ops))
	}
	if !slices.Contains(modes, c.Mode) {
		return fmt.Errorf("no mode %q: there are %s", c.Mode, strings.Join(modes, ", "))
	}
	if c.Only != "" && c.Only != "latency" && c.Only != "rate" {
		return fmt.Errorf("no phase %q: there are latency and rate", c.Only)
	}
	if c.List == 0 {
		c.List = 1
		if c.Mode == "batch" {
			c.List = max(1, c.Depth/2)
		}
	}
	if c.Places == 0 {
		c.Places = c.Depth
	}
	if c.Take == 0 {
		c.Take = faceBatch
		if c.API == "dat" {
			c.Take = 1
		}
	}
	switch {
	case c.Path == "loop" && c.Peer+c.Serve != "":
		return fmt.Errorf("-path loop is within one process; -peer and -serve need another one: shm, tcp, or verbs:NAME")
	case c.API != "native" && c.API != "dat":
		return fmt.Errorf("no API %q: there are native and dat", c.API)
	case c.API == "dat" && (c.Mode != "poll" && c.Mode != "wait" || c.List > 1 || c.Endpoints > 1):
		return fmt.Errorf("-api dat has modes poll and wait, no lists, and one endpoint")
	case c.Take < 1 || c.Take > faceBatch:
		return fmt.Errorf("-take %d: from 1 to %d", c.Take, faceBatch)
	case c.Take > 1 && c.API == "dat" && c.Mode != "poll":
		return fmt.Errorf("-api dat takes one completion at a time with -mode %s: EVDWait has no other way", c.Mode)
	case c.Size < 1:
		return fmt.Errorf("-size %d: an operation has at least a byte", c.Size)
	case c.Op == "fadd" && c.Size != 8:
		return fmt.Errorf("-size %d: a fetch-add is of 8 bytes", c.Size)
	case c.Depth < 1 || c.Endpoints < 1 || c.Rounds < 1 || c.N < 0 || c.Duration <= 0:
		return fmt.Errorf("-depth, -endpoints, -rounds and -duration must be more than 0, -n not less")
	case c.Places < 1 || c.Places > c.Depth || c.Places < c.Depth && (c.API == "dat" || c.Op == "fadd" || c.Op == "read"):
		return fmt.Errorf("-places %d: from 1 to -depth, which is %d; fewer than that are for sends and writes, whose memory is only read here", c.Places, c.Depth)
	case c.List < 1 || c.List > c.Depth:
		return fmt.Errorf("-list %d: from 1 to -depth, which is %d", c.List, c.Depth)
	case c.Vs == "one" && c.Endpoints == 1:
		return fmt.Errorf("-vs one compares several -endpoints with one")
	}
	return c.checkVs()
}

// limit is how long a phase lasts.
func (c *config) limit() limit { return limit{n: c.N, d: c.Duration} }

func (c *config) marshal() string {
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // numbers and strings
	}
	return string(b)
}

func names[V any](m map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}
