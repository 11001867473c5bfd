package figures

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// table prints all points.
func table(w io.Writer, points []point) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "op\tcompletions\tsize\tAPI\tcpu/op\tops/s\tMB/s\tlatency\t")
	for _, p := range points {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", p.op, modeNames[p.mode], bytesText(p.size), p.api,
			some(p.cpu, "%.0f ns", 1), some(p.rate, "%.0f", 1), some(p.bandwidth, "%.1f", 1e6), some(p.latency, "%.2f µs", 1e3))
	}
	return t.Flush()
}

// some writes a number that was measured.
func some(x float64, format string, unit float64) string {
	if x <= 0 {
		return "-"
	}
	return fmt.Sprintf(format, x/unit)
}

// bytesText is a size for people.
func bytesText(n int) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}
