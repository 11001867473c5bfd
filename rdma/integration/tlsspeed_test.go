package integration_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/godapl/godapl/internal/tlstest"
	"github.com/godapl/godapl/rdma"
)

// The benchmarks of TLS do the same work over this library and over a tls.Conn, in turns, so that both meet the same
// machine, and report the ratio. Both sides are in this process, and wait as programs do.

// BenchmarkTLSLatency is a message of 64 bytes that is answered by another one; both sides wait. Plain is the same
// without TLS, beside a net.Conn.
func BenchmarkTLSLatency(b *testing.B) {
	b.Run("TLS", func(b *testing.B) { benchLatency(b, benchConfig()) })
	b.Run("plain", func(b *testing.B) { benchLatency(b, nil) })
}

func benchLatency(b *testing.B, config *tls.Config) {
	const size, turns = 64, 500
	x, y := secureSides(b, config, 4096)
	near, far := streamPair(b, config)
	ctx := context.Background()
	receive := func(s *side) error { return s.conn.PostRecv(rdma.Recv{Into: s.mem.Slice(size, size)}) }
	take := func(s *side, all []rdma.Completion) error {
		_, err := s.conn.RecvCompletions().WaitBatch(ctx, all)
		return err
	}
	send := func(s *side) error {
		return s.conn.PostSend(rdma.Send{From: s.mem.Slice(0, size), Flags: rdma.NoCompletion})
	}
	var done sync.WaitGroup
	b.Cleanup(done.Wait)
	b.Cleanup(func() { x.conn.Close(); y.conn.Close(); near.Close(); far.Close() })
	must(b, receive(x))
	must(b, receive(y))
	done.Go(func() {
		all := make([]rdma.Completion, 1)
		for take(y, all) == nil && all[0].Status == rdma.StatusOK && receive(y) == nil && send(y) == nil {
		}
	})
	done.Go(func() { echoBytes(far, size) })
	buf, all := make([]byte, size), make([]rdma.Completion, 1)
	ours := func() {
		must(b, send(x))
		must(b, take(x, all))
		must(b, all[0].Err())
		must(b, receive(x))
	}
	theirs := func() {
		made(near.Write(buf))(b)
		made(io.ReadFull(near, buf))(b)
	}
	compare(b, turns, ours, theirs)
}

// BenchmarkTLSWrite1MiB writes a mebibyte to the peer's memory again and again; over a tls.Conn the peer reads it.
func BenchmarkTLSWrite1MiB(b *testing.B) {
	const size, depth, pieces = 1 << 20, 8, 64
	config := benchConfig()
	x, y := secureSides(b, config, size)
	near, far := streamPair(b, config)
	var done sync.WaitGroup
	b.Cleanup(done.Wait)
	b.Cleanup(func() { x.conn.Close(); y.conn.Close(); near.Close(); far.Close() })
	done.Go(func() { echoMessages(y, 1) })
	done.Go(func() {
		buf := make([]byte, size)
		for {
			for range pieces {
				if _, err := io.ReadFull(far, buf); err != nil {
					return
				}
			}
			if _, err := far.Write(buf[:1]); err != nil {
				return
			}
		}
	})
	ctx, all := context.Background(), make([]rdma.Completion, depth)
	ours := func() {
		for posted, done := 0, 0; done < pieces; {
			for ; posted < pieces && posted-done < depth; posted++ {
				must(b, x.conn.PostWrite(rdma.Write{From: x.mem.All(), To: y.mem.Remote()}))
			}
			n, err := x.conn.SendCompletions().WaitBatch(ctx, all)
			must(b, err)
			done += n
		}
		must(b, x.conn.Send(ctx, x.mem.Slice(0, 1)))
		made(x.conn.Recv(ctx, x.mem.Slice(0, 1)))(b)
	}
	buf := make([]byte, size)
	theirs := func() {
		for range pieces {
			made(near.Write(buf))(b)
		}
		made(io.ReadFull(near, buf[:1]))(b)
	}
	compare(b, 1, ours, theirs)
}

// compare does the work in turns of n, and reports how long each took, and the ratio of the two.
func compare(b *testing.B, n int, ours, theirs func()) {
	var a, t time.Duration
	ours()
	theirs()
	rounds := 0
	for b.Loop() {
		start := time.Now()
		for range n {
			ours()
		}
		middle := time.Now()
		for range n {
			theirs()
		}
		a += middle.Sub(start)
		t += time.Since(middle)
		rounds += n
	}
	b.ReportMetric(float64(a.Nanoseconds())/float64(rounds), "ns/ours")
	b.ReportMetric(float64(t.Nanoseconds())/float64(rounds), "ns/stream")
	b.ReportMetric(float64(a)/float64(t), "ours/stream")
	b.ReportMetric(0, "ns/op")
}

func benchConfig() *tls.Config {
	config := tlstest.NewAuthority().Config("peer.test")
	config.ServerName = "peer.test"
	return config
}

// secureSides are two connected sides over TLS.
func secureSides(b *testing.B, config *tls.Config, size int) (x, y *side) {
	opened := func() *rdma.Adapter {
		a := made(rdma.Open(context.Background(), "soft-tcp", rdma.OpenConfig{ReceiveWait: patience, TLS: config}))(b)
		b.Cleanup(func() { a.Close() })
		return a
	}
	x, y = newSide(b, opened(), size), newSide(b, opened(), size)
	join(b, x, y, rdma.EndpointConfig{}, rdma.EndpointConfig{})
	return x, y
}

// streamPair is a connection of crypto/tls with the same demands, or of TCP.
func streamPair(b *testing.B, config *tls.Config) (near, far net.Conn) {
	ln := made(net.Listen("tcp", "127.0.0.1:0"))(b)
	defer ln.Close()
	near = made(net.Dial("tcp", ln.Addr().String()))(b)
	far = made(ln.Accept())(b)
	if config == nil {
		return near, far
	}
	server := config.Clone()
	server.ClientAuth, server.ClientCAs = tls.RequireAndVerifyClientCert, config.RootCAs
	x, y := tls.Client(near, config), tls.Server(far, server)
	var both errgroup.Group
	both.Go(x.Handshake)
	both.Go(y.Handshake)
	must(b, both.Wait())
	return x, y
}

func echoMessages(s *side, size int) {
	ctx := context.Background()
	for {
		if _, err := s.conn.Recv(ctx, s.mem.Slice(0, size)); err != nil {
			return
		}
		if s.conn.Send(ctx, s.mem.Slice(0, size)) != nil {
			return
		}
	}
}

func echoBytes(conn io.ReadWriter, size int) {
	buf := make([]byte, size)
	for {
		if _, err := io.ReadFull(conn, buf); err != nil {
			return
		}
		if _, err := conn.Write(buf); err != nil {
			return
		}
	}
}
