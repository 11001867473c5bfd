package perf

import (
	"cmp"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// A rival is another library's program for the same measurement, with two processes of
// its own.
type rival struct {
	program string            // "": that of the test's name
	debian  string            // the package that has the program
	paths   map[string]manner // by our paths, "verbs" for all devices; missing paths cannot be compared
	tests   map[string]trial  // by the rival's names
	usual   map[string]string // test for one of our operations and a phase
	server  func(r race) []string
	client  func(r race) []string
	parse   func(out string, size int) (figures, error)
	rest    time.Duration // time from the server's start until a client may connect
	// together is how many operations of ours are timed together; 0 is tripsTimed.
	together int
}

// named is the program that makes a test.
func (r *rival) named(test string) string {
	if r.program == "" {
		return test
	}
	return r.program
}

// A manner is how a rival is set up for one of our paths.
type manner struct{ env, args []string }

// A trial is a test of a rival.
type trial struct {
	phase string // the phase that it measures: latency or rate
	args  []string
}

// A race is one run of a rival's program.
type race struct {
	port            int
	size            int
	n               int64
	test            string
	trial           trial
	device, address string // on the path verbs
	sleeps          bool   // completions are waited for: -mode wait
}

// figures are the results of a rival's program. Missing ones are 0.
type figures struct {
	latency float64 // ns, one way if the test is a ping-pong
	rate    float64 // operations a second
}

var rivals = map[string]*rival{
	"ucx": {
		program: "ucx_perftest", debian: "ucx-utils",
		paths: map[string]manner{
			"shm": {env: []string{"UCX_TLS=posix,cma,self"}},
			"tcp": {env: []string{"UCX_TLS=tcp"}},
		},
		tests: map[string]trial{
			"tag_lat":     {phase: "latency"},
			"ucp_put_lat": {phase: "latency"},
			"ucp_am_lat":  {phase: "latency"},
			"stream_lat":  {phase: "latency"},
			"get":         {phase: "latency", args: []string{"-t", "ucp_get", "-O", "1"}},
			"fadd":        {phase: "latency", args: []string{"-t", "ucp_fadd", "-O", "1"}},
			"tag_bw":      {phase: "rate"},
			"ucp_put_bw":  {phase: "rate"},
			"ucp_am_bw":   {phase: "rate"},
			"stream_bw":   {phase: "rate"},
			"ucp_get":     {phase: "rate"},
			"ucp_fadd":    {phase: "rate"},
		},
		usual: map[string]string{
			"send latency": "tag_lat", "write latency": "ucp_put_lat", "read latency": "get", "fadd latency": "fadd",
			"send rate": "tag_bw", "write rate": "ucp_put_bw", "read rate": "ucp_get", "fadd rate": "ucp_fadd",
		},
		server: func(r race) []string { return []string{"-p", strconv.Itoa(r.port)} },
		client: func(r race) []string {
			args := r.trial.args
			if args == nil {
				args = []string{"-t", r.test}
			}
			return append([]string{
				"127.0.0.1", "-p", strconv.Itoa(r.port), "-f", "-v", "-s", strconv.Itoa(r.size),
				"-n", strconv.FormatInt(r.n, 10), "-w", strconv.FormatInt(max(1, r.n/10), 10),
			}, args...)
		},
		parse: parseUCX,
	},
	"libfabric": {
		program: "fi_pingpong", debian: "libfabric-bin",
		paths: map[string]manner{
			"tcp": {args: []string{"-p", "tcp", "-e", "msg"}},
		},
		tests: map[string]trial{
			"pingpong":           {phase: "latency"},
			"pingpong_bandwidth": {phase: "rate"},
		},
		usual: map[string]string{
			"send latency": "pingpong", "write latency": "pingpong",
			"send rate": "pingpong_bandwidth", "write rate": "pingpong_bandwidth",
		},
		server: func(r race) []string {
			return []string{"-B", strconv.Itoa(r.port), "-S", strconv.Itoa(r.size), "-I", strconv.FormatInt(r.n, 10)}
		},
		client: func(r race) []string {
			return []string{"-P", strconv.Itoa(r.port), "-S", strconv.Itoa(r.size), "-I", strconv.FormatInt(r.n, 10), "127.0.0.1"}
		},
		parse: parsePingpong,
	},
	"perftest": perftest,
}

// rival returns the rival and the test that -vs names, or, for ucx alone, the usual
// test for our measurement.
func (c *config) rival() (r *rival, test string, err error) {
	name, test, chosen := strings.Cut(c.Vs, ":")
	r = rivals[name]
	if r == nil {
		return nil, "", fmt.Errorf("no comparison %q: there are raw, polled, one and native, %s, and %s", c.Vs, names(plains), names(rivals))
	}
	if !chosen {
		what := c.Op + " " + c.comparedPhase()
		if test = r.usual[what]; test == "" {
			return nil, "", fmt.Errorf("%s has no test for the %s of -op %s", cmp.Or(r.program, name), c.comparedPhase(), c.Op)
		}
	}
	t, ok := r.tests[test]
	if !ok {
		return nil, "", fmt.Errorf("no test %q of %s: there are %s", test, cmp.Or(r.program, name), names(r.tests))
	}
	if _, ok := r.paths[c.kind()]; !ok {
		return nil, "", fmt.Errorf("there is nothing of %s to compare -path %s with: there is %s", name, c.Path, names(r.paths))
	}
	if c.Only != "" && c.Only != t.phase {
		return nil, "", fmt.Errorf("%s measures %s: leave -only %s out", test, t.phase, c.Only)
	}
	if c.Peer != "" {
		return nil, "", fmt.Errorf("-vs %s starts both sides of %s on this host: leave -peer out", c.Vs, r.named(test))
	}
	if _, err := exec.LookPath(r.named(test)); err != nil {
		return nil, "", fmt.Errorf("-vs %s runs %s, which is not there (Debian's package is %s): %w", c.Vs, r.named(test), r.debian, err)
	}
	return r, test, nil
}

// comparedPhase is the phase that a comparison uses unless it says otherwise.
func (c *config) comparedPhase() string {
	switch {
	case c.Only != "":
		return c.Only
	case c.Op == "send":
		return "latency"
	}
	return "rate"
}
