package rdma_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// With OpenConfig.Latency, a connection measures how long its operations take, by kind.
func ExampleLatency() {
	ctx := context.Background()
	adapter, err := rdma.Open(ctx, "soft-loop", rdma.OpenConfig{Latency: true})
	if err != nil {
		log.Fatal(err)
	}
	defer adapter.Close()
	client, server := exampleConn(adapter)
	to, err := server.Zone().Alloc(64, mem.All)
	check(err)
	for range 100 {
		_, err := client.Write(ctx, to.Slice(0, 8), to.Slice(8, 8).Remote())
		check(err)
	}
	h := client.Stats().Latency[rdma.OpWrite]
	fmt.Println(h.Count, "writes; 99 of them in less than a second:", h.Quantile(0.99) < time.Second)
	// Output: 100 writes; 99 of them in less than a second: true
}
