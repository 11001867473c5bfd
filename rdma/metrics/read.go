package metrics

import (
	"expvar"

	"github.com/godapl/godapl/rdma"
)

// Sample is the value of a metric.
type Sample struct {
	Description *Description // the caller must not change it
	Value       float64      // of a histogram: how many times it has
	// Histogram is nil for other metrics, and for operations that were not measured or not done.
	Histogram *rdma.Latency
}

// Read reads all metrics of an adapter, in the order of [All], and appends them to list. A caller that passes
// the former result cut to no elements, list[:0], allocates nothing for it. For what it blocks on see
// rdma.Adapter.Stats.
func Read(a *rdma.Adapter, list []Sample) []Sample {
	s := a.Stats()
	for i := range all {
		x := Sample{Description: &all[i], Value: all[i].read(&s)}
		if x.Description.Kind == Histogram {
			x.Histogram = s.Latency[x.Description.op]
		}
		list = append(list, x)
	}
	return list
}

// Var is a variable for expvar.Publish: an object with the value of each metric by its name. Histograms are
// objects with the members count, sum, buckets (see [Buckets]) and p50, p99 and max, which are bounds, in seconds;
// those that were not measured are missing. An adapter that is closed keeps its last counts.
func Var(a *rdma.Adapter) expvar.Func {
	return func() any {
		values := make(map[string]any, len(all))
		for _, s := range Read(a, nil) {
			switch {
			case s.Description.Kind != Histogram:
				values[s.Description.Name] = s.Value
			case s.Histogram != nil:
				values[s.Description.Name] = summaryOf(s.Histogram)
			}
		}
		return values
	}
}
