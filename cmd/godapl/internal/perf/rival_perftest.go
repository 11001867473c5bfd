package perf

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// perftest measures RDMA devices: a program for each operation and phase, which is
// the test's name here.
var perftest = &rival{
	debian: "perftest",
	paths:  map[string]manner{"verbs": {}},
	tests: map[string]trial{
		"ib_send_lat": {phase: "latency"}, "ib_send_bw": {phase: "rate"},
		"ib_write_lat": {phase: "latency"}, "ib_write_bw": {phase: "rate"},
		"ib_read_lat": {phase: "latency"}, "ib_read_bw": {phase: "rate"},
		"ib_atomic_lat": {phase: "latency", args: []string{}}, "ib_atomic_bw": {phase: "rate", args: []string{}},
	},
	usual: map[string]string{
		"send latency": "ib_send_lat", "write latency": "ib_write_lat", "read latency": "ib_read_lat", "fadd latency": "ib_atomic_lat",
		"send rate": "ib_send_bw", "write rate": "ib_write_bw", "read rate": "ib_read_bw", "fadd rate": "ib_atomic_bw",
	},
	server: perftestArgs,
	client: func(r race) []string { return append(perftestArgs(r), r.address) },
	parse:  parsePerftest,
	// A client that comes too early fails in a way of the device's own, or waits for
	// ever.
	rest: time.Second,
	// Its latency is the median over single operations: now and then one takes a
	// hundred times as long, which would distort most means of 16.
	together: 1,
}

// perftestArgs are those of both sides. The connection is made by the connection
// manager, as ours is, which alone can connect iWARP devices.
func perftestArgs(r race) []string {
	device, port, both := strings.Cut(r.device, ":")
	args := []string{"-R", "-F", "-d", device, "-p", strconv.Itoa(r.port), "-n", strconv.FormatInt(max(r.n, leastIterations), 10)}
	if r.sleeps && r.test != "ib_write_lat" { // which looks at memory, and has no completions to sleep for
		args = append(args, "-e")
	}
	if both {
		args = append(args, "-i", port)
	}
	if r.trial.args == nil { // atomics have one size
		args = append(args, "-s", strconv.Itoa(r.size))
	}
	return args
}

// leastIterations is the minimum that perftest accepts.
const leastIterations = 5

// parsePerftest reads the line of names and the line of values. Latencies are in
// microseconds, one way for operations with an answer. Its MB are MiB; small operations
// at low rates give too few for two decimals.
func parsePerftest(out string, size int) (figures, error) {
	joined := strings.NewReplacer("BW ", "BW_", "% ", "%_")
	var columns []string
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) > 0 && fields[0] == "#bytes" {
			columns = strings.Fields(joined.Replace(line))
			continue
		}
		if columns == nil || len(fields) != len(columns) {
			continue
		}
		found := map[string]float64{}
		for i, f := range fields {
			x, err := strconv.ParseFloat(f, 64)
			if err != nil {
				return figures{}, fmt.Errorf("%q in %q is no number", f, strings.TrimSpace(line))
			}
			found[columns[i]] = x
		}
		if us := found["t_typical[usec]"]; positive(us) {
			return figures{latency: 1e3 * us, rate: 1e6 / us}, nil
		}
		if mib := found["BW_average[MB/sec]"]; mib >= 10 && positive(mib) {
			return figures{rate: mib * (1 << 20) / float64(size)}, nil
		}
		if m := found["MsgRate[Mpps]"]; positive(m) {
			return figures{rate: 1e6 * m}, nil
		}
	}
	return figures{}, fmt.Errorf("no latency and no rate in %q", tail(out))
}
