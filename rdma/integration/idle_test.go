package integration_test

import (
	"context"
	"net"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/hca/soft/progress"
	"github.com/godapl/godapl/internal/race"
	"github.com/godapl/godapl/rdma"
)

const (
	idleConnections = 50
	idleFor         = 200 * time.Millisecond
	// idleLimit is generous: a goroutine that turns uses all of idleFor.
	idleLimit = idleFor / 4
)

// TestIdleConnections measures the cost of idle connections, in every state in which
// programs leave them. The adapters must make no rounds for them, which are counted. The
// processor time of this process shows any other busy loop; the best of three measurements
// counts. With the race detector, which uses processor time itself, it is only logged.
func TestIdleConnections(t *testing.T) {
	paths := []string{"soft-loop", "soft-tcp"}
	if runtime.GOOS == "linux" {
		paths = append(paths, "soft-shm")
	}
	for _, name := range paths {
		t.Run(name, func(t *testing.T) {
			x, y := newSide(t, open(t, name), 1<<20), newSide(t, open(t, name), 1<<20)
			var conns []*rdma.Conn
			for range idleConnections {
				join(t, x, y, rdma.EndpointConfig{}, rdma.EndpointConfig{})
				conns = append(conns, x.conn, y.conn)
			}
			idle(t, "fresh")

			ctx, stop := context.WithCancel(context.Background())
			var waiting sync.WaitGroup
			for _, c := range conns {
				waiting.Go(func() { c.RecvCompletions().Wait(ctx, 1) })
			}
			idle(t, "waited for")
			stop()
			waiting.Wait()
			idle(t, "no longer waited for")

			var list [1]rdma.Completion
			for range 100 {
				for _, c := range conns {
					c.RecvCompletions().Poll(list[:])
					c.SendCompletions().Poll(list[:])
				}
			}
			idle(t, "no longer polled")

			for i, c := range conns {
				from, to := x, y
				if i%2 == 1 {
					from, to = y, x
				}
				if _, err := c.Write(within(t), from.mem.Slice(0, 1<<19), to.mem.Slice(1<<19, 1<<19).Remote()); err != nil {
					t.Fatal(err)
				}
				// The write is complete when the transport has it, and the peer may
				// be at it for long. What is asked behind it is answered behind it.
				if _, err := c.Read(within(t), from.mem.Slice(0, 8), to.mem.Slice(0, 8).Remote()); err != nil {
					t.Fatal(err)
				}
			}
			idle(t, "after work")

			// A message that finds no receive, with more behind it than the
			// transport takes.
			for i := 0; i < len(conns); i += 2 {
				must(t, conns[i].PostSend(rdma.Send{From: x.mem.Slice(0, 64)}))
			}
			for range 32 {
				must(t, conns[0].PostWrite(rdma.Write{From: x.mem.Slice(0, 1<<19), To: y.mem.Slice(1<<19, 1<<19).Remote()}))
			}
			idle(t, "a message waits for its receive")
		})
	}
}

// idle measures a period in which the program does nothing. Earlier work may continue in
// the first of ten periods: with the race detector, on a busy machine, it takes long to
// fill the transport.
func idle(t *testing.T, what string) {
	t.Helper()
	t.Run(what, func(t *testing.T) {
		var turns progress.Stats
		best, quiet := idleFor*1000, false
		for range 10 {
			from, before := soft.AllStats(), now()
			pause(idleFor)
			turns = soft.AllStats().Since(from)
			best = min(best, now()-before)
			quiet = quiet || turns == progress.Stats{}
			if quiet && (best < idleLimit || race.Enabled) {
				break
			}
		}
		t.Logf("%v of processor time in %v", best, idleFor)
		if !quiet {
			t.Errorf("%+v in %v for %d idle connections, want none", turns, idleFor, idleConnections)
		}
		if best >= idleLimit && !race.Enabled {
			t.Errorf("%v of processor time in %v for %d idle connections, want less than %v", best, idleFor, idleConnections, idleLimit)
		}
	})
}

// now is the processor time used so far, 0 where the system does not tell.
func now() time.Duration {
	d, _ := processorTime()
	return d
}

// pause lets time pass: there is no event that shows that nothing happens.
func pause(d time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	<-ctx.Done()
}

// TestGoroutinesPerConnection counts them. Sockets share the adapter's poller
// and need none; a stream of the program's needs a reader and a writer on each
// side.
func TestGoroutinesPerConnection(t *testing.T) {
	const fabric = "test-count"
	must(t, rdma.RegisterFabric(fabric, newMemory(func() (net.Conn, net.Conn) { return net.Pipe() })))
	defer rdma.UnregisterFabric(fabric)
	for _, c := range []struct {
		name, address string
		limit         float64 // per connection, both sides together
	}{
		{"soft", "127.0.0.1:0", 0}, {"soft-loop", "127.0.0.1:0", 0}, {"soft-tcp", "127.0.0.1:0", 0}, {fabric, "anywhere:1", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "soft-tcp" && runtime.GOOS != "linux" {
				c.limit = 4 // sockets are streams as others there
			}
			x, y := newSide(t, open(t, c.name), 4096), newSide(t, open(t, c.name), 4096)
			one := func() {
				a := made(x.adapter.NewEndpoint(rdma.EndpointConfig{Zone: x.zone}))(t)
				b := made(y.adapter.NewEndpoint(rdma.EndpointConfig{Zone: y.zone}))(t)
				x.conn, y.conn = link(t, a, b, c.address)
				made(x.conn.Read(within(t), x.mem.Slice(0, 8), y.mem.Slice(0, 8).Remote()))(t)
			}
			for range 5 { // workers start
				one()
			}
			before := runtime.NumGoroutine()
			for range idleConnections {
				one()
			}
			limit := before + int(c.limit*idleConnections)
			eventually(t, "only so many goroutines run", func() bool { return runtime.NumGoroutine() <= limit+4 })
			more := float64(runtime.NumGoroutine()-before) / idleConnections
			t.Logf("%.2f goroutines per connection, both sides together", more)
		})
	}
}
