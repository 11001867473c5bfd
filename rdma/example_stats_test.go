package rdma_test

import (
	"context"
	"fmt"

	"github.com/godapl/godapl/rdma"
)

// A connection counts what it does, by operation and by status.
func ExampleStats() {
	client, server, closeBoth := examplePair(rdma.EndpointConfig{})
	defer closeBoth()
	check(client.conn.PostRecv(rdma.Recv{Into: client.memory.All()}))
	_, err := client.conn.Write(context.Background(), client.memory.Slice(0, 100), server.memory.Remote())
	check(err)
	check(client.conn.Close())
	s := client.conn.Stats()
	fmt.Println("writes:", s.Ops[rdma.OpWrite])
	fmt.Println("sent:", client.conn.Stats().Sent().Bytes, "bytes, received:", s.Received().Bytes)
	fmt.Println("succeeded:", s.Completions[rdma.StatusOK], "flushed:", s.Completions[rdma.StatusFlushed])
	// Output:
	// writes: {1 100}
	// sent: 100 bytes, received: 0
	// succeeded: 1 flushed: 1
}

func ExampleAdapterStats() {
	client, server, closeBoth := examplePair(rdma.EndpointConfig{})
	defer closeBoth()
	for range 3 {
		_, err := client.conn.Write(context.Background(), client.memory.Slice(0, 100), server.memory.Remote())
		check(err)
	}
	s := client.adapter.Stats()
	fmt.Println(client.adapter.Stats().Connections(), "connection,", s.RegisteredBytes, "bytes registered")
	fmt.Println(s.Ops[rdma.OpWrite].Operations, "writes of", s.Ops[rdma.OpWrite].Bytes, "bytes")
	// Output:
	// 1 connection, 4096 bytes registered
	// 3 writes of 300 bytes
}

func ExampleQueueStats() {
	adapter, err := rdma.Open(context.Background(), "soft-loop", rdma.OpenConfig{})
	check(err)
	defer adapter.Close()
	queue, err := adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 16})
	check(err)
	queue.Dispatcher().Poll(make([]rdma.Completion, 1))
	fmt.Println(queue.Stats().EmptyPolls, "poll found nothing")
	// Output: 1 poll found nothing
}

func ExampleOpStats() {
	before := rdma.OpStats{Operations: 10, Bytes: 1000}
	now := rdma.OpStats{Operations: 30, Bytes: 9000}
	fmt.Println(now.Operations-before.Operations, "operations and", now.Bytes-before.Bytes, "bytes since")
	// Output: 20 operations and 8000 bytes since
}
