package perf

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// paths are how the bytes can travel.
var paths = map[string]struct {
	adapter   string // for rdma.Open
	processes bool   // the sides are two processes
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

// processes reports whether the sides are two processes.
func (c *config) processes() bool {
	_, two, _ := c.travel()
	return two
}

// hardware reports whether an RDMA device carries the bytes.
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

var modes = []string{"poll", "wait", "chan", "batch", "set", "conn"}

// config is the settings from the flags. Both sides have the same.
type config struct {
	Path, Op, Mode, API, Vs, Only string
	Serve, Peer, Services         string
	CPUProfile                    string
	Size, Depth, List, Places     int
	Take                          int // completions at a time
	Endpoints, Rounds             int
	Burst                         int // looks before a wait parks, as event.Config has it
	Load, CPUs                    int
	Connections, Loops            int
	N                             int64
	Duration, Timeout             time.Duration
	JSON, Slices, TLS             bool
	Certificate                   []byte // with -tls; see certify
	Credits                       bool   // messages need credits: see mustGive

	address string // of the device, once it has been opened
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
		if c.API != "native" {
			c.Take = 1
		}
	}
	c.Credits = c.API == "vipl" // whose messages never wait for a receive
	switch {
	case c.Path == "loop" && c.Peer+c.Serve != "":
		return fmt.Errorf("-path loop is within one process; -peer and -serve need another one: shm, tcp, or verbs:NAME")
	case c.API != "native" && c.API != "dat" && c.API != "vipl":
		return fmt.Errorf("no API %q: there are native, dat and vipl", c.API)
	case c.API != "native" && (c.Mode != "poll" && c.Mode != "wait" || c.List > 1 || c.Endpoints > 1):
		return fmt.Errorf("-api %s has modes poll and wait, no lists, and one endpoint", c.API)
	case c.API == "vipl" && (c.Op == "fadd" || c.Take > 1):
		return fmt.Errorf("-api vipl has no atomic operations, and takes one completion at a time")
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
	case c.Places < 1 || c.Places > c.Depth || c.Places < c.Depth && (c.API != "native" || c.Op == "fadd" || c.Op == "read"):
		return fmt.Errorf("-places %d: from 1 to -depth, which is %d; fewer than that are for sends and writes, whose memory is only read here", c.Places, c.Depth)
	case c.List < 1 || c.List > c.Depth:
		return fmt.Errorf("-list %d: from 1 to -depth, which is %d", c.List, c.Depth)
	case c.Vs == "one" && c.Endpoints == 1:
		return fmt.Errorf("-vs one compares several -endpoints with one")
	}
	for _, check := range []func() error{c.checkRoom, c.checkBlocks, c.checkCalls, c.checkLoad, c.checkVs, c.checkTLS} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// trips is the number of ways in one timed operation of the latency phase.
func (c *config) trips() float64 {
	if ops[c.Op].oneWay && c.Connections == 0 {
		return 2
	}
	return 1
}

// limit is how long a phase lasts.
func (c *config) limit() limit { return limit{n: c.N, d: c.Duration} }

func (c *config) marshal() string {
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // impossible: the fields are numbers and strings
	}
	return string(b)
}

func names[V any](m map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}
