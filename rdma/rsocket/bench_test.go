package rsocket_test

import (
	"context"
	"io"
	"net"
	"slices"
	"testing"
	"time"
)

// The benchmarks compare a transport with the sockets of the system, with a peer in another
// process, in turns. An operation is a turn of each. What they report are medians:
//
//	go test -run '^$' -bench . -benchtime 15x ./rdma/rsocket

// BenchmarkPingPong is the time of 64 bytes there and back. Those that are parked never look before they sleep.
func BenchmarkPingPong(b *testing.B) {
	for _, v := range []versus{{"shm", "unix"}, {"shm-parked", "unix"}, {"shm-polled", "unix"}, {"soft-tcp", "tcp"}, {"soft-tcp-parked", "tcp"}} {
		v.run(b, "pingpong", "ns", pingPong)
	}
}

func pingPong(b *testing.B, c net.Conn) float64 {
	const size, rounds = 64, 1000
	p := make([]byte, size)
	begun := time.Now()
	for range rounds {
		_, err := c.Write(p)
		must(b, err)
		_, err = io.ReadFull(c, p)
		must(b, err)
	}
	return float64(time.Since(begun)) / rounds
}

// BenchmarkWrite is the bandwidth of writes of 1 MiB to a peer that reads them.
func BenchmarkWrite(b *testing.B) {
	for _, v := range []versus{{"shm", "unix"}, {"shm-polled", "unix"}, {"shm", "copy"}, {"soft-tcp", "tcp"}} {
		v.run(b, "sink", "MiB/s", writes)
	}
}

func writes(b *testing.B, c net.Conn) float64 {
	const size, writes = 1 << 20, 64
	p := make([]byte, size)
	begun := time.Now()
	for range writes {
		_, err := c.Write(p)
		must(b, err)
	}
	p[0] = 1 // asks for an answer
	_, err := c.Write(p[:1])
	must(b, err)
	_, err = io.ReadFull(c, p[:1])
	must(b, err)
	return writes / time.Since(begun).Seconds()
}

// versus is a transport, and what it is compared with.
type versus struct{ ours, other string }

// run calls measure for a connection of each in turns.
func (v versus) run(b *testing.B, service, unit string, measure func(*testing.B, net.Conn) float64) {
	b.Run(v.ours+"-vs-"+v.other, func(b *testing.B) {
		ours, other := dialPeer(b, v.ours, service), dialPeer(b, v.other, service)
		turn := turnOf(b, measure)
		turn(ours) // rings have grown
		turn(other)
		var all [3][]float64
		for b.Loop() {
			x, y := turn(ours), turn(other)
			all[0], all[1], all[2] = append(all[0], x), append(all[1], y), append(all[2], x/y)
		}
		for i, unit := range []string{unit, v.other + "-" + unit, "ratio"} {
			b.ReportMetric(median(all[i]), unit)
		}
		b.ReportMetric(0, "ns/op") // of both: means nothing
	})
}

// turnOf measures a connection, or copying for none.
func turnOf(b *testing.B, measure func(*testing.B, net.Conn) float64) func(net.Conn) float64 {
	return func(c net.Conn) float64 {
		if c == nil {
			return copied()
		}
		return measure(b, c)
	}
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// copied is how many pieces of 1 MiB are copied in a second.
func copied() float64 {
	from, to := make([]byte, 1<<20), make([]byte, 1<<20)
	begun := time.Now()
	for range 256 {
		copy(to, from)
	}
	return 256 / time.Since(begun).Seconds()
}

// dialPeer connects to another process, by a kind of transport; nil for none.
func dialPeer(b *testing.B, kind, service string) net.Conn {
	b.Helper()
	if kind == "copy" {
		return nil
	}
	address := startPeer(b, kind, service)
	d, _, end, err := transport(b.Context(), kind)
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(func() { _ = end() })
	c, err := d.DialContext(context.Background(), networkOf(kind), address)
	must(b, err)
	b.Cleanup(func() { _ = c.Close() })
	return c
}
