package prometheus_test

import (
	"context"
	"fmt"
	"log"

	client "github.com/prometheus/client_golang/prometheus"

	"github.com/godapl/godapl/contrib/prometheus"
	"github.com/godapl/godapl/rdma"
)

// A program that serves promhttp.Handler has the metrics of its adapter after this.
func ExampleNewCollector() {
	adapter, err := rdma.Open(context.Background(), "soft-loop", rdma.OpenConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer adapter.Close()
	registry := client.NewRegistry()
	registry.MustRegister(prometheus.NewCollector(adapter))
	families, err := registry.Gather()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(families[0].GetName())
	// Output: godapl_async_lost_total
}
