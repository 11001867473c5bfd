package main

import (
	"context"
	"net"
	"path/filepath"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/godapl/godapl/rdma"
)

// clients is how many connections a benchmark has.
const clients = 100

// BenchmarkUnary compares a transport with unix sockets: a call at a time on each connection.
//
//	go test -run '^$' -bench Unary -benchtime 50000x -count 7 .
func BenchmarkUnary(b *testing.B) {
	b.Run("unix", func(b *testing.B) {
		path := filepath.Join(b.TempDir(), "s")
		ln, err := net.Listen("unix", path)
		if err != nil {
			b.Fatal(err)
		}
		server := grpc.NewServer()
		server.RegisterService(&description, upper{})
		go server.Serve(ln)
		defer server.Stop()
		calls(b, func() (*grpc.ClientConn, error) {
			return grpc.NewClient("unix:"+path, grpc.WithTransportCredentials(insecure.NewCredentials()))
		})
	})
	b.Run("shm", func(b *testing.B) {
		adapter, err := rdma.Open(b.Context(), "soft-shm", rdma.OpenConfig{})
		if err != nil {
			b.Skip(err)
		}
		defer adapter.Close()
		server, address, err := serve(b.Context(), adapter, "localhost:0")
		if err != nil {
			b.Skip(err)
		}
		defer server.Stop()
		calls(b, func() (*grpc.ClientConn, error) { return dial(adapter, address) })
	})
}

func calls(b *testing.B, dial func() (*grpc.ClientConn, error)) {
	var all []*grpc.ClientConn
	for range clients {
		c, err := dial()
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		if _, err := unary(b.Context(), c, "warm"); err != nil {
			b.Fatal(err)
		}
		all = append(all, c)
	}
	var next atomic.Int64
	b.SetParallelism((clients + 1) / 2)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		c := all[next.Add(1)%clients]
		for pb.Next() {
			if _, err := unary(context.Background(), c, "word"); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}
