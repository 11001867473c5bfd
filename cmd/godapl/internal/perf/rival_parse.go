package perf

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// parseUCX reads the output of ucx_perftest -f -v: a line of names, and a line of
// values. Latencies are in microseconds. The rate is computed from the messages per
// second: its MB are MiB.
func parseUCX(out string, _ int) (figures, error) {
	var columns []string
	found := map[string]float64{}
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimSpace(line), ",")
		switch {
		case fields[0] == "iterations":
			columns = fields
		case columns != nil && len(fields) == len(columns):
			for i, f := range fields {
				x, err := strconv.ParseFloat(f, 64)
				if err != nil {
					return figures{}, fmt.Errorf("%q in %q is no number", f, strings.TrimSpace(line))
				}
				found[columns[i]] = x
			}
		}
	}
	f := figures{latency: 1e3 * found["50.0_percentile_lat"], rate: found["overall_mr"]}
	if !positive(f.latency) {
		f.latency = 1e3 * found["avg_lat"]
	}
	if !positive(f.latency) || !positive(f.rate) {
		return figures{}, fmt.Errorf("no latency or no rate in %q", out)
	}
	return f, nil
}

// parsePingpong reads the output of fi_pingpong: a line of names, and a line of values
// for each size. A transfer is one way, and the next begins when it has arrived.
func parsePingpong(out string, size int) (figures, error) {
	var columns []string
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case fields[0] == "bytes":
			columns = fields
		case columns != nil && len(fields) == len(columns):
			for i, name := range columns {
				if name != "usec/xfer" {
					continue
				}
				us, err := strconv.ParseFloat(fields[i], 64)
				if err != nil || !positive(us) {
					return figures{}, fmt.Errorf("%q in %q is no time", fields[i], strings.TrimSpace(line))
				}
				return figures{latency: 1e3 * us, rate: 1e6 / us}, nil
			}
		}
	}
	return figures{}, fmt.Errorf("no time of a transfer of %d bytes in %q", size, out)
}

// positive is false also for NaN.
func positive(x float64) bool { return x > 0 && !math.IsInf(x, 0) }
