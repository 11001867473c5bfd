package rdma_test

import (
	"fmt"
	"sync/atomic"

	"github.com/godapl/godapl/rdma"
)

// A protocol with credits describes its connections. The page of rdma/debug shows it beside the connection.
func ExampleDescription() {
	client, _, closeBoth := examplePair(rdma.EndpointConfig{})
	defer closeBoth()
	var used atomic.Int32
	client.conn.Endpoint().Describe(func() rdma.Description {
		d := rdma.Description{State: fmt.Sprintf("%d of 64 credits used", used.Load())}
		if used.Load() == 64 {
			d.Waits = "a call waits for credits of the peer"
		}
		return d
	})

	fmt.Println(client.conn.Endpoint().Description().State)
	used.Store(64)
	fmt.Println(client.conn.Endpoint().Description().Waits)
	// Output:
	// 0 of 64 credits used
	// a call waits for credits of the peer
}
