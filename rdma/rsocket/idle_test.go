package rsocket_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/race"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rsocket"
)

// TestIdleConnections: a connection that does nothing costs what the path's connection costs, and
// little beside its ring, which is not on the heap: no goroutine, and queues for Config.Messages.
func TestIdleConnections(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector needs memory of its own")
	}
	const count = 100
	onEveryPath(t, func(t *testing.T, name string) {
		a := open(t, name)
		bare := perEnd(count, bareConnections(t, a))
		for _, c := range []struct {
			cfg   rsocket.Config
			extra int // bytes
		}{
			{rsocket.Config{}, 40 << 10},
			{rsocket.Config{Ring: 4096, Messages: 16}, 16 << 10},
		} {
			ln := listen(t, a, c.cfg)
			d := &rsocket.Dialer{Adapter: a, Config: c.cfg}
			one := func() { connect(t, ln, d) }
			one()
			goroutines := runtime.NumGoroutine()
			n := perEnd(count, one)
			t.Logf("%d bytes, of which the path's connection has %d", n, bare)
			if n > bare+c.extra {
				t.Errorf("%+v: %d bytes, and the path's connection has %d", c.cfg, n, bare)
			}
			if more := moreGoroutines(goroutines, count/4); more > count/4 {
				t.Errorf("%d goroutines for %d connections", more, count)
			}
		}
	})
}

// moreGoroutines is how many there are above a number, once they are at most as many as given. Those that
// have established connections may still be about to end.
func moreGoroutines(than, most int) int {
	for end := time.Now().Add(20 * time.Second); ; <-time.After(time.Millisecond) {
		if more := runtime.NumGoroutine() - than; more <= most || time.Now().After(end) {
			return more
		}
	}
}

// perEnd is the bytes of the heap that each end of a connection takes.
func perEnd(count int, connect func()) int {
	before := heap()
	for range count {
		connect()
	}
	return int(heap()-before) / (2 * count)
}

func heap() int64 {
	runtime.GC()
	runtime.GC() // what finalizers and pools have held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// bareConnections returns a function that makes a connection of the adapter, with defaults.
func bareConnections(t *testing.T, a *rdma.Adapter) func() {
	zone, err := a.NewZone()
	must(t, err)
	ln, err := a.Listen(t.Context(), place(a), rdma.ListenConfig{})
	must(t, err)
	accepted := make(chan *rdma.Conn)
	go func() {
		defer close(accepted)
		for r := range ln.Requests() {
			if y, err := r.Accept(context.Background(), rdma.EndpointConfig{Zone: zone}); err == nil {
				accepted <- y
			}
		}
	}()
	t.Cleanup(func() { _ = ln.Close() })
	return func() {
		x, err := a.Dial(t.Context(), ln.Addr().String(), rdma.EndpointConfig{Zone: zone})
		must(t, err)
		y := <-accepted
		t.Cleanup(func() { _, _ = x.Close(), y.Close() })
	}
}
