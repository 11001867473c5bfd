package debug_test

import (
	"encoding/json"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/debug"
)

// TestHeldConnections: goroutines stop inside the gates of two hundred connections. The page answers all the same, and
// says so in each of their rows. At a tenth of a second for each gate it would take a minute.
func TestHeldConnections(t *testing.T) {
	const n = 200
	a, err := rdma.Open(t.Context(), "soft-loop", rdma.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	zone, err := a.NewZone()
	if err != nil {
		t.Fatal(err)
	}
	ln, err := a.Listen(t.Context(), net.JoinHostPort("127.0.0.1", "0"), rdma.ListenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for r := range ln.Requests() {
			r.Accept(t.Context(), rdma.EndpointConfig{Zone: zone})
		}
	}()
	t.Cleanup(func() { ln.Close() })
	var conns [n]*rdma.Conn
	for i := range conns {
		if conns[i], err = a.Dial(t.Context(), ln.Addr().String(), rdma.EndpointConfig{Zone: zone}); err != nil {
			t.Fatal(err)
		}
	}
	held, release := make(chan struct{}, 2*n), make(chan struct{})
	hook := func(_ *core.QP, step string) {
		if step == "flush" {
			held <- struct{}{}
			<-release
		}
	}
	core.StepHook.Store(&hook)
	defer core.StepHook.Store(nil)
	var work sync.WaitGroup
	defer work.Wait()
	defer close(release)
	for _, c := range conns {
		work.Go(func() { c.Abort() })
	}
	for range conns {
		<-held
	}
	remove := debug.Publish(a)
	defer remove()
	begin := time.Now()
	w := httptest.NewRecorder()
	debug.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/?format=json", nil))
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("the page took %v", took)
	}
	var s debug.Snapshot
	if err := json.Unmarshal(w.Body.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Conns) != 2*n {
		t.Fatalf("%d rows, want %d", len(s.Conns), 2*n)
	}
	stale := 0
	for _, c := range s.Conns {
		if c.Stale && strings.Contains(c.Note, "could not be looked at") {
			stale++
		}
	}
	if stale < n {
		t.Errorf("%d rows say that they could not be looked at, want %d at least", stale, n)
	}
}
