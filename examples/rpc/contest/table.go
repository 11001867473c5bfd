package contest

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"
)

// result is what the table says of one contender in one setting: medians of the rounds.
type result struct {
	Setting
	name, against string
	round
	ratio float64 // of the rate and that of the other, the median of the rounds; 0 if not known
}

func summary(s Setting, fleets []*fleet) (results []result) {
	for _, f := range fleets {
		r := result{Setting: s, name: f.Name, against: f.Against, round: round{
			calls: median(f.rounds, func(r round) int { return r.calls }),
			rate:  median(f.rounds, func(r round) float64 { return r.rate }),
			p50:   median(f.rounds, func(r round) time.Duration { return r.p50 }),
			p99:   median(f.rounds, func(r round) time.Duration { return r.p99 }),
			p999:  median(f.rounds, func(r round) time.Duration { return r.p999 }),
			cpu:   median(f.rounds, func(r round) time.Duration { return r.cpu }),
		}}
		for _, other := range fleets {
			if other.Name == f.Against && other != f {
				r.ratio = ratio(f.rounds, other.rounds)
			}
		}
		results = append(results, r)
	}
	return results
}

// ratio is the median of the ratios of the rounds.
func ratio(a, b []round) float64 {
	all := make([]round, len(a))
	for i := range a {
		all[i].rate = a[i].rate / b[i].rate
	}
	return median(all, func(r round) float64 { return r.rate })
}

func table(out io.Writer, results []result) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "contender\tbytes\tclients\tunder way\tcalls/s\tp50 µs\tp99 µs\tp99.9 µs\tCPU µs\trate / other\t")
	for i, r := range results {
		if i > 0 && r.Setting != results[i-1].Setting {
			fmt.Fprintln(w, "\t\t\t\t\t\t\t\t\t\t")
		}
		compared := "-"
		if r.ratio != 0 {
			compared = fmt.Sprintf("%.2f %s", r.ratio, r.against)
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.0f\t%s\t%s\t%s\t%s\t%s\t\n", r.name, r.Size, r.Clients, r.Depth, r.rate,
			micros(r.p50), micros(r.p99), micros(r.p999), micros(r.cpu), compared)
	}
	return w.Flush()
}

// micros has three digits that count.
func micros(d time.Duration) string {
	us := float64(d) / 1e3
	digits := 2 - int(math.Floor(math.Log10(max(us, 0.01))))
	return fmt.Sprintf("%.*f", min(max(digits, 0), 2), us)
}
