package perf

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// result is a measurement, in the form that -json prints.
type result struct {
	Path        string  `json:"path"`
	Op          string  `json:"op"`
	Size        int     `json:"size"`
	Mode        string  `json:"mode"`
	Depth       int     `json:"depth"`
	API         string  `json:"api"`
	Ops         int64   `json:"ops"`
	LatP50      float64 `json:"lat_p50_ns"`
	LatP99      float64 `json:"lat_p99_ns"`
	LatCPU      float64 `json:"lat_cpu_ns"`
	LatSwitches float64 `json:"lat_switches"`
	OpsPerS     float64 `json:"ops_per_s"`
	BytesPerS   float64 `json:"bytes_per_s"`
	CPUPerOp    float64 `json:"cpu_ns_per_op"`
	Switches    float64 `json:"switches_per_op"`
	AllocsPerOp float64 `json:"allocs_per_op"`
	Errors      int64   `json:"errors"`
	Connections int     `json:"connections,omitempty"`
	TLS         bool    `json:"tls,omitempty"`
	Vs          *ratio  `json:"vs,omitempty"`

	cfg     *config
	latency *hdrhistogram.Histogram
	took    time.Duration // for the Ops
	used    usage         // for the Ops
	// For the operations of the latency phase.
	latencyUsed usage
}

func newResult(c *config) *result {
	return &result{Path: c.Path, Op: c.Op, Size: c.Size, Mode: c.Mode, Depth: c.Depth, API: c.API, Connections: c.Connections, TLS: c.TLS,
		cfg: c, latency: newHistogram()}
}

// fill computes the printed figures.
func (r *result) fill() {
	r.LatP50, r.LatP99 = r.quantile(50), r.quantile(99)
	if n := float64(r.latency.TotalCount()) * r.cfg.trips(); n > 0 {
		r.LatCPU = round(float64(r.latencyUsed.CPU)/n, 10)
		r.LatSwitches = round(float64(r.latencyUsed.Switches)/n, 10000)
	}
	if r.Ops == 0 || r.took <= 0 {
		return
	}
	n := float64(r.Ops)
	r.OpsPerS = math.Round(n / r.took.Seconds())
	r.BytesPerS = math.Round(n * float64(r.Size) / r.took.Seconds())
	r.CPUPerOp = round(float64(r.used.CPU)/n, 10)
	r.Switches = round(float64(r.used.Switches)/n, 10000)
	r.AllocsPerOp = round(float64(r.used.Mallocs)/n, 10000)
}

func round(x, parts float64) float64 { return math.Round(x*parts) / parts }

// quantile is the time one way, or of the round trip, in nanoseconds.
func (r *result) quantile(percent float64) float64 {
	return float64(r.latency.ValueAtQuantile(percent)) / r.cfg.trips()
}

func (r *result) json(w io.Writer) error {
	r.fill()
	return json.NewEncoder(w).Encode(r)
}

func (r *result) table(w io.Writer) error {
	r.fill()
	what := "round trip"
	switch {
	case r.cfg.Connections > 0:
		what = "call"
	case ops[r.Op].oneWay:
		what = "one way, half a round trip"
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "path\top\tsize\tmode\tdepth\tlist\tendpoints\t\n")
	fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%d\t%d\t%d\t\n\n", r.cfg.pathText(), r.Op, r.Size, r.Mode, r.Depth, r.cfg.List, max(r.cfg.Endpoints, r.Connections))
	fmt.Fprintf(t, "latency\tmin\tp50\tp99\tp99.9\tcpu, both sides\tswitches\tof\t\n")
	fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%.4g\t%d\t\n\n", what, ns(float64(r.latency.Min())/r.cfg.trips()),
		ns(r.LatP50), ns(r.LatP99), ns(r.quantile(99.9)), used(r.LatCPU, ""), r.LatSwitches, r.latency.TotalCount())
	fmt.Fprintf(t, "rate\tbandwidth\ttime\tcpu, both sides\tswitches\tallocations\tof\terrors\t\n")
	fmt.Fprintf(t, "%.0f/s\t%.4g MB/s\t%s/op\t%s\t%.4g/op\t%g/op\t%d\t%d\t\n", r.OpsPerS, r.BytesPerS/1e6,
		ns(float64(r.took)/float64(max(1, r.Ops))), used(r.CPUPerOp, "/op"), r.Switches, r.AllocsPerOp, r.Ops, r.Errors)
	if v := r.Vs; v != nil {
		fmt.Fprintf(t, "\nvs\tours\ttheirs\tratio\tfrom\tto\trounds\t\n")
		fmt.Fprintf(t, "%s\t%.5g %s\t%.5g %s\t%.3f\t%.3f\t%.3f\t%d\t\n", v.What, v.Ours, v.Unit, v.Theirs, v.Unit, v.Ratio, v.Low, v.High, v.Rounds)
		if v.Parts != nil {
			v.Parts.print(t)
		}
	}
	return t.Flush()
}

// used is a processor time for people, where the system counts it. It may be none: that of measuring is subtracted.
func used(each float64, per string) string {
	if cpu, _ := systemUsage(); cpu == 0 {
		return "unknown"
	}
	return ns(each) + per
}

// ns is a time for people.
func ns(x float64) string {
	switch {
	case x < 1000:
		return fmt.Sprintf("%.1f ns", x)
	case x < 1e6:
		return fmt.Sprintf("%.2f µs", x/1e3)
	}
	return fmt.Sprintf("%.2f ms", x/1e6)
}
