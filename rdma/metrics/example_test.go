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
