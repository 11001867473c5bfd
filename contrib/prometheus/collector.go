package prometheus

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/metrics"
)

// Collector collects the counters of adapters. It implements prometheus.Collector.
type Collector struct {
	adapters []*rdma.Adapter
	descs    []*prometheus.Desc // as metrics.All
}

// NewCollector makes a collector. The names of the adapters, which become the label adapter, must differ. An
// adapter that is closed keeps its last counts: unregister the collector with it. Each collection takes the
// time of rdma.Adapter.Stats for each adapter.
func NewCollector(adapters ...*rdma.Adapter) *Collector {
	c := &Collector{adapters: adapters}
	for _, d := range metrics.All() {
		labels := []string{"adapter"}
		if d.Label != "" {
			labels = append(labels, d.Label)
		}
		c.descs = append(c.descs, prometheus.NewDesc(d.Family, help(d), labels, nil))
	}
	return c
}

// help is the same for all metrics of a family, as Prometheus wants it.
func help(d metrics.Description) string { return "RDMA: " + d.Help + "." }

// Describe implements prometheus.Collector.
func (c *Collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *Collector) Collect(to chan<- prometheus.Metric) {
	var list []metrics.Sample
	for _, a := range c.adapters {
		list = metrics.Read(a, list[:0])
		for i, s := range list {
			if s.Description.Kind == metrics.Histogram {
				if h := s.Histogram; h != nil {
					to <- prometheus.MustNewConstHistogram(c.descs[i], h.Count, h.Sum.Seconds(), metrics.Buckets(h), a.Name(), s.Description.Value)
				}
				continue
			}
			kind := prometheus.CounterValue
			if s.Description.Kind == metrics.Gauge {
				kind = prometheus.GaugeValue
			}
			values := []string{a.Name()}
			if s.Description.Label != "" {
				values = append(values, s.Description.Value)
			}
			to <- prometheus.MustNewConstMetric(c.descs[i], kind, s.Value, values...)
		}
	}
}
