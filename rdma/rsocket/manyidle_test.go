package rsocket_test

import (
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/race"
)

// TestManyIdle makes many connections to another process, and prints what each costs here. Each peer sends
// a byte and does nothing more; at the end some of the bytes are read. GODAPL_IDLE is how many:
//
//	GODAPL_IDLE=10000 go test -run TestManyIdle -v ./rdma/rsocket
func TestManyIdle(t *testing.T) {
	count := 100
	if n, err := strconv.Atoi(os.Getenv("GODAPL_IDLE")); err == nil {
		count = n
	}
	for _, kind := range []string{"shm", "soft-tcp", "shm-small", "soft-tcp-small"} {
		t.Run(kind, func(t *testing.T) { manyIdle(t, kind, count) })
	}
}

func manyIdle(t *testing.T, kind string, count int) {
	address := startPeer(t, kind, "greet")
	d, _, end, err := transport(t.Context(), kind)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { must(t, end()) })
	conns := make([]net.Conn, 0, count)
	t.Cleanup(func() {
		closed := make(chan error, 100) // so many at a time
		for i, c := range conns {
			if i >= cap(closed) {
				must(t, <-closed)
			}
			go func() { closed <- c.Close() }()
		}
		for range min(len(conns), cap(closed)) {
			must(t, <-closed)
		}
	})
	dial := func() {
		c, err := d.DialContext(t.Context(), "", address)
		if err != nil {
			t.Fatalf("connection %d: %v", len(conns), err)
		}
		conns = append(conns, c)
	}
	dial()
	goroutines, bytes, pages, files := runtime.NumGoroutine(), heap(), resident(), descriptors()
	for len(conns) < count {
		dial()
	}
	n := int64(count - 1)
	bytes, pages, files = heap()-bytes, resident()-pages, descriptors()-files
	more := moreGoroutines(goroutines, count/4)
	t.Logf("%d connections: %d bytes of heap each, %d resident, %.1f descriptors, %d goroutines more",
		count, bytes/n, pages/n, float64(files)/float64(n), more)
	if strings.HasPrefix(kind, "soft-tcp") && files > n+n/10 {
		t.Errorf("%d descriptors for %d connections of TCP", files, n)
	}
	if more > count/4 {
		t.Errorf("%d goroutines for %d connections", more, count)
	}
	if !race.Enabled && bytes/n > 100<<10 {
		t.Errorf("%d bytes of heap for each", bytes/n)
	}
	p := make([]byte, 1)
	for i := 0; i < count; i += max(count/50, 1) {
		if _, err := conns[i].Read(p); err != nil {
			t.Errorf("connection %d: %v", i, err)
		}
	}
}

// descriptors is how many the process has open; 0 if the system does not tell.
func descriptors() int64 {
	list, _ := os.ReadDir("/proc/self/fd")
	return int64(len(list))
}

// resident is the bytes of memory that the process has, with those outside of the heap; 0 if the system
// does not tell.
func resident() int64 {
	debug.FreeOSMemory()
	b, err := os.ReadFile("/proc/self/statm")
	if f := strings.Fields(string(b)); err == nil && len(f) > 1 {
		n, _ := strconv.ParseInt(f[1], 10, 64)
		return n * int64(os.Getpagesize())
	}
	return 0
}
