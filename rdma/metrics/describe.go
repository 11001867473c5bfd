package metrics

import (
	"strings"

	"github.com/godapl/godapl/rdma"
)

// Kind says how a metric behaves.
type Kind uint8

const (
	Counter Kind = iota // only grows
	Gauge               // what is now, or a maximum
	// Histogram counts times by their length. It is there only if it is asked for: see rdma.OpenConfig.
	Histogram
)

// Description describes a metric.
type Description struct {
	Name string // "/rdma/op/write:bytes"
	Kind Kind
	Help string // a sentence without a full stop
	// Family is the metric's name in Prometheus. Metrics of one family differ in one label; Label is "" for
	// a family of one.
	Family, Label, Value string

	read func(*rdma.AdapterStats) float64
	op   rdma.Op // of a histogram
}

// Unit is the part of the name behind the colon.
func (d *Description) Unit() string {
	_, unit, _ := strings.Cut(d.Name, ":")
	return unit
}

// All returns the descriptions of all metrics, in a fixed order.
func All() []Description { return append([]Description(nil), all...) }

var all = func() (list []Description) {
	for op := rdma.OpSend; op <= rdma.OpRecvWriteImm; op++ {
		name := slug(op.String())
		list = append(list,
			Description{"/rdma/op/" + name + ":operations", Counter, "operations that succeeded", "godapl_operations_total", "op", name,
				func(s *rdma.AdapterStats) float64 { return float64(s.Ops[op].Operations) }, 0},
			Description{"/rdma/op/" + name + ":bytes", Counter, "bytes of operations that succeeded", "godapl_operation_bytes_total", "op", name,
				func(s *rdma.AdapterStats) float64 { return float64(s.Ops[op].Bytes) }, 0})
	}
	for status := rdma.StatusOK; status <= rdma.StatusFatal; status++ {
		name := slug(status.String())
		list = append(list, Description{"/rdma/status/" + name + ":completions", Counter, "completions of operations", "godapl_completions_total", "status", name,
			func(s *rdma.AdapterStats) float64 { return float64(s.Completions[status]) }, 0})
	}
	for op := rdma.OpSend; op < rdma.OpRecv; op++ {
		name := slug(op.String())
		list = append(list, Description{"/rdma/latency/" + name + ":seconds", Histogram, "time from post to completion of operations that succeeded", "godapl_operation_latency_seconds", "op", name,
			func(s *rdma.AdapterStats) float64 {
				if h := s.Latency[op]; h != nil {
					return float64(h.Count)
				}
				return 0
			}, op})
	}
	return append(list, single...)
}()

// slug is a text as a part of a name.
func slug(s string) string { return strings.ReplaceAll(s, " ", "-") }
