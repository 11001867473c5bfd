package metrics_test

import (
	"context"
	"expvar"
	"fmt"
	"log"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/metrics"
)

func open() *rdma.Adapter {
	adapter, err := rdma.Open(context.Background(), "soft-loop", rdma.OpenConfig{})
	if err != nil {
		log.Fatal(err)
	}
	return adapter
}

func ExampleVar() {
	adapter := open()
	defer adapter.Close()
	expvar.Publish("rdma", metrics.Var(adapter))
	// Then the program's /debug/vars has them all.
}

func ExampleRead() {
	adapter := open()
	defer adapter.Close()
	for _, s := range metrics.Read(adapter, nil) {
		if s.Description.Name == "/rdma/connections/now:connections" {
			fmt.Println(s.Value, s.Description.Unit())
		}
	}
	// Output: 0 connections
}

func ExampleDescription() {
	for _, d := range metrics.All()[:2] {
		fmt.Println(d.Name, "is", d.Family, "in Prometheus")
	}
	// Output:
	// /rdma/op/send:operations is godapl_operations_total in Prometheus
	// /rdma/op/send:bytes is godapl_operation_bytes_total in Prometheus
}

// A program that reads often passes the former list, cut to no elements: nothing is allocated for it then.
func ExampleSample() {
	adapter := open()
	defer adapter.Close()
	var list []metrics.Sample
	for range 2 { // once a second, for instance
		list = metrics.Read(adapter, list[:0])
	}
	fmt.Println(len(list) == len(metrics.All()), list[0].Description.Name, list[0].Value)
	// Output: true /rdma/op/send:operations 0
}

func ExampleKind() {
	first := map[metrics.Kind]string{}
	for _, d := range metrics.All() {
		if first[d.Kind] == "" {
			first[d.Kind] = d.Name
		}
	}
	fmt.Println(first[metrics.Counter])
	fmt.Println(first[metrics.Histogram])
	// Output:
	// /rdma/op/send:operations
	// /rdma/latency/send:seconds
}
