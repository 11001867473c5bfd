package perf

import (
	"fmt"
	"io"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A meter has what one side of a comparison took in each round.
type meter struct{ p50, p99, cpu, switches []float64 }

// add is a round: times, each of so many messages, and what both processes used.
func (m *meter) add(h *hdrhistogram.Histogram, messages float64, used usage) {
	n := float64(max(1, h.TotalCount())) * messages
	m.p50 = append(m.p50, typical(h)/messages)
	m.p99 = append(m.p99, float64(max(1, h.ValueAtQuantile(99)))/messages)
	m.cpu = append(m.cpu, float64(used.CPU)/n)
	m.switches = append(m.switches, float64(used.Switches)/n)
}

// part is the medians of a meter, for a message.
type part struct {
	P50      float64 `json:"p50_ns"`
	P99      float64 `json:"p99_ns"`
	CPU      float64 `json:"cpu_ns"`
	Switches float64 `json:"switches"`
}

func (m *meter) part() part {
	return part{
		P50: digits(median(m.p50)), P99: digits(median(m.p99)),
		CPU: digits(median(m.cpu)), Switches: digits(median(m.switches)),
	}
}

// Parts are more than one ratio of a comparison.
type Parts struct {
	Here     part    `json:"ours_each"`
	There    part    `json:"theirs_each"`
	P50Ratio float64 `json:"p50_ratio"`
	P99Ratio float64 `json:"p99_ratio"`
}

func newParts(ours, theirs *meter) *Parts {
	return &Parts{
		Here: ours.part(), There: theirs.part(),
		P50Ratio: digits(newRatio("", "", ours.p50, theirs.p50).Ratio),
		P99Ratio: digits(newRatio("", "", ours.p99, theirs.p99).Ratio),
	}
}

// print adds to a table.
func (p *Parts) print(t io.Writer) {
	fmt.Fprintf(t, "\neach\tp50\tp99\tcpu, both sides\tswitches\t\n")
	for _, row := range []struct {
		name string
		part
	}{{"ours", p.Here}, {"theirs", p.There}} {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.4g\t\n", row.name, ns(row.P50), ns(row.P99), ns(row.CPU), row.Switches)
	}
	fmt.Fprintf(t, "ratio\t%.3f\t%.3f\t\t\t\n", p.P50Ratio, p.P99Ratio)
}
