package metrics

import (
	"expvar"

	"github.com/godapl/godapl/rdma"
)

// Sample is the value of a metric.
type Sample struct {
	Description *Description // the caller must not change it
	Value       float64
}

// Read reads all metrics of an adapter, in the order of [All]. It appends them to list, so that a caller that
// passes the former result allocates nothing for it. For what it blocks on see rdma.Adapter.Stats.
func Read(a *rdma.Adapter, list []Sample) []Sample {
	s := a.Stats()
	for i := range all {
		list = append(list, Sample{&all[i], all[i].read(&s)})
	}
	return list
}

// Var is a variable for expvar.Publish: an object with the value of each metric by its name. An adapter that
// is closed keeps its last counts.
func Var(a *rdma.Adapter) expvar.Func {
	return func() any {
		values := make(map[string]float64, len(all))
		for _, s := range Read(a, nil) {
			values[s.Description.Name] = s.Value
		}
		return values
	}
}
