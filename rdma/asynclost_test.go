package rdma_test

import (
	"bytes"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// lockedBuffer is a buffer that a logger may write to while a test reads.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// await waits until a text was logged so often.
func (l *lockedBuffer) await(t testing.TB, times int, text string) {
	t.Helper()
	for ctx := within(t); strings.Count(l.String(), text) < times; runtime.Gosched() {
		if ctx.Err() != nil {
			t.Fatalf("%q is not there %d times:\n%s", text, times, l.String())
		}
	}
}

// TestNewsCrowdNoErrorOut ends many connections with a shared receive queue, while
// nobody takes the events of their ends. An error that comes then is kept.
func TestNewsCrowdNoErrorOut(t *testing.T) {
	const ends = 200
	var log lockedBuffer
	a, err := rdma.Open(within(t), "soft-loop", rdma.OpenConfig{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	must(t, err)
	defer a.Close()
	x, y := newSide(t, "soft-loop"), &side{adapter: a}
	y.zone, err = a.NewZone()
	must(t, err)
	srq, err := y.zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{Depth: 8})
	must(t, err)
	for range ends {
		join(t, x, y, rdma.EndpointConfig{Zone: x.zone}, rdma.EndpointConfig{Zone: y.zone, SharedReceives: srq})
		must(t, x.conn.Close())
		<-y.conn.Context().Done()
		must(t, y.conn.Close())
	}
	kept := a.Async().Len()
	if kept == 0 || kept > 100 || a.AsyncLost() != ends-uint64(kept) {
		t.Errorf("%d events are kept, %d lost, of %d", kept, a.AsyncLost(), ends)
	}

	full := event.New[rdma.ConnEvent](event.Config{Depth: 1})
	defer full.Close()
	sink := rdma.NewSink(full, func(to, from *rdma.ConnEvent) { *to = *from })
	for range 2 { // the second finds no room
		join(t, x, y, rdma.EndpointConfig{Zone: x.zone}, rdma.EndpointConfig{Zone: y.zone, ConnEvents: sink})
	}
	found := false
	for {
		ev, err := a.Async().Dequeue()
		if err != nil {
			break
		}
		found = found || ev.Kind == rdma.AsyncOverflow && ev.Err != nil
	}
	if !found {
		t.Error("the overflow is not among the events that were kept")
	}
	must(t, a.Close()) // it writes the log
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "level=ERROR") && strings.Contains(line, "err=<nil>") {
			t.Errorf("a healthy end is logged as an error: %s", line)
		}
	}
}
