package main

import (
	"context"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/godapl/godapl/rdma"
)

// clients is how many connections a benchmark has, and callsEach how many calls each makes in a turn.
const clients, callsEach = 100, 50

// BenchmarkUnary compares shared memory with unix sockets: a call at a time on each of 100 connections, in
// turns. An operation is a turn of each, of 5000 calls. What it reports are medians of calls per second, and of their
// ratio.
//
//	go test -run '^$' -bench 'Unary$' -benchtime 15x .
//
// What a transport takes of the processor is in a profile of that transport alone; server and clients are one
// process:
//
//	go test -run '^$' -bench 'UnaryAlone/shm' -benchtime 20x -cpuprofile cpu.shm .
//	go tool pprof -top -cum -focus 'rsocket.*Conn|godapl/internal|godapl/rdma' cpu.shm
//	go test -run '^$' -bench 'UnaryAlone/unix' -benchtime 20x -cpuprofile cpu.unix .
//	go tool pprof -top -cum -focus 'net.*conn|internal/poll' cpu.unix
//
// The line "Showing nodes accounting for" has the share.
func BenchmarkUnary(b *testing.B) {
	ours, other := shared(b), unix(b)
	turn(b, ours)
	turn(b, other)
	var all [3][]float64
	for b.Loop() {
		x, y := turn(b, ours), turn(b, other)
		all[0], all[1], all[2] = append(all[0], x), append(all[1], y), append(all[2], x/y)
	}
	for i, unit := range []string{"calls/s", "unix-calls/s", "ratio"} {
		slices.Sort(all[i])
		b.ReportMetric(all[i][len(all[i])/2], unit)
	}
	b.ReportMetric(0, "ns/op") // of both: means nothing
}

// BenchmarkUnaryAlone is for profiles.
func BenchmarkUnaryAlone(b *testing.B) {
	for name, dial := range map[string]func(*testing.B) []*grpc.ClientConn{"shm": shared, "unix": unix} {
		b.Run(name, func(b *testing.B) {
			all := dial(b)
			for b.Loop() {
				turn(b, all)
			}
			b.ReportMetric(float64(b.N)*clients*callsEach/b.Elapsed().Seconds(), "calls/s")
		})
	}
}

// unix are clients of a server behind a unix socket.
func unix(b *testing.B) []*grpc.ClientConn {
	path := filepath.Join(b.TempDir(), "s")
	ln, err := net.Listen("unix", path)
	if err != nil {
		b.Fatal(err)
	}
	server := grpc.NewServer()
	server.RegisterService(&description, upper{})
	go server.Serve(ln)
	b.Cleanup(server.Stop)
	return dialAll(b, func() (*grpc.ClientConn, error) {
		return grpc.NewClient("unix:"+path, grpc.WithTransportCredentials(insecure.NewCredentials()))
	})
}

// shared are clients of a server over shared memory.
func shared(b *testing.B) []*grpc.ClientConn {
	adapter, err := rdma.Open(b.Context(), "soft-shm", rdma.OpenConfig{})
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(func() { _ = adapter.Close() })
	server, address, err := serve(b.Context(), adapter, "localhost:0")
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(server.Stop)
	return dialAll(b, func() (*grpc.ClientConn, error) { return dial(adapter, address) })
}

func dialAll(b *testing.B, dial func() (*grpc.ClientConn, error)) (all []*grpc.ClientConn) {
	for range clients {
		c, err := dial()
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = c.Close() })
		if _, err := unary(b.Context(), c, "warm"); err != nil {
			b.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// turn makes calls on all connections at the same time, and returns how many there were per second.
func turn(b *testing.B, all []*grpc.ClientConn) float64 {
	var calls sync.WaitGroup
	begun := time.Now()
	for _, c := range all {
		calls.Go(func() {
			for range callsEach {
				if _, err := unary(context.Background(), c, "word"); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	calls.Wait()
	return float64(len(all)*callsEach) / time.Since(begun).Seconds()
}
