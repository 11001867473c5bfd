package debug_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/debug"
	"github.com/godapl/godapl/rdma/mem"
)

// The page as JSON has how long the operations of a connection took, if OpenConfig.Latency is set.
func ExampleLatency() {
	ctx := context.Background()
	adapter, err := rdma.Open(ctx, "soft-loop", rdma.OpenConfig{Latency: true})
	check(err)
	defer adapter.Close()
	defer debug.Publish(adapter)()
	zone, err := adapter.NewZone()
	check(err)
	page, err := zone.Alloc(64, mem.All)
	check(err)
	ln, err := adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	check(err)
	go func() {
		for request := range ln.Requests() {
			_, err := request.Accept(ctx, rdma.EndpointConfig{Zone: zone})
			check(err)
		}
	}()
	conn, err := adapter.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: zone})
	check(err)
	for range 100 {
		_, err := conn.Write(ctx, page.Slice(0, 8), page.Slice(8, 8).Remote())
		check(err)
	}
	w := httptest.NewRecorder()
	debug.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/debug/rdma/?format=json", nil))
	var s debug.Snapshot
	check(json.NewDecoder(w.Body).Decode(&s))
	for _, c := range s.Conns {
		for _, l := range c.Latency {
			sum := uint64(0)
			for _, b := range l.Buckets {
				sum += b.Count
			}
			fmt.Println(l.Op, l.Count, sum, l.P50 <= l.P99 && l.P99 <= l.Max)
		}
	}
	// Output: write 100 100 true
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
