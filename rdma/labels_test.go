package rdma_test

import (
	"bytes"
	"context"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// goroutines is the profile of goroutines: a paragraph for each kind.
func goroutines(t testing.TB) []string {
	t.Helper()
	var b bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&b, 1); err != nil {
		t.Error(err)
	}
	return strings.Split(b.String(), "\n\n")
}

// awaitLabels waits until goroutines with these labels have begun.
func awaitLabels(t testing.TB, labels ...string) {
	t.Helper()
	ctx := within(t)
	for _, want := range labels {
		for !strings.Contains(strings.Join(goroutines(t), "\n\n"), "# labels: {"+want+"}") {
			if runtime.Gosched(); ctx.Err() != nil {
				t.Fatalf("no goroutine has %s:\n%s", want, strings.Join(goroutines(t), "\n\n"))
			}
		}
	}
}

// ownLabels are the labels of the goroutine that runs a function of this name, "" if it has none.
func ownLabels(t testing.TB, function string) string {
	t.Helper()
	for _, g := range goroutines(t) {
		if strings.Contains(g, function) {
			_, labels, _ := strings.Cut(g, "# labels: {")
			labels, _, _ = strings.Cut(labels, "}\n")
			return labels
		}
	}
	t.Errorf("%s does not run", function)
	return ""
}

// TestLabels: a profile of goroutines names the adapter of each goroutine of the library, and what it is for.
func TestLabels(t *testing.T) {
	t.Run("recorder", func(t *testing.T) {
		t.Setenv("GODAPL_FLIGHT", "1")
		connect(t, "soft-tcp")
		awaitLabels(t, `"rdma_adapter":"soft-tcp", "rdma_role":"flight"`)
	})
	t.Run("stream", func(t *testing.T) {
		const name = "labelled-pipe"
		must(t, rdma.RegisterFabric(name, newPipes()))
		t.Cleanup(func() { rdma.UnregisterFabric(name) })
		connect(t, name)
		awaitLabels(t, `"rdma_adapter":"labelled-pipe", "rdma_role":"read"`, `"rdma_adapter":"labelled-pipe", "rdma_role":"write"`)
	})
	t.Run("AcceptAll", func(t *testing.T) {
		ln := listen(t, open(t, "soft-loop"))
		ctx, cancel := context.WithCancel(pprof.WithLabels(within(t), pprof.Labels("mine", "yes")))
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range ln.AcceptAll(ctx, rdma.EndpointConfig{}) {
				continue
			}
		}()
		awaitLabels(t, `"mine":"yes", "rdma_adapter":"soft-loop", "rdma_role":"accept"`)
		cancel()
		<-done
	})
	t.Run("events", func(t *testing.T) {
		d, e, s := event.New[int](event.Config{}), event.New[int](event.Config{}), event.NewSet()
		defer d.Close()
		defer e.Close()
		defer s.Close()
		must(t, s.Add(e))
		d.C()
		s.C()
		awaitLabels(t, `"rdma_role":"channel"`, `"rdma_role":"set channel"`)
		s.StopChan()
		labels := make(chan string)
		must(t, s.Notify(func(event.Member) { labels <- ownLabels(t, "TestLabels") }))
		pprof.Do(context.Background(), pprof.Labels("another", "goroutine"), func(context.Context) { must(t, e.Post(1)) })
		if got := <-labels; got != `"rdma_role":"notify"` {
			t.Errorf("the function of Notify has the labels %s", got)
		}
	})
}

// TestLabelsOfTheProgram: while it connects, a goroutine has the library's labels beside the program's; what it calls
// at the end has the program's alone.
func TestLabelsOfTheProgram(t *testing.T) {
	x, y := newSide(t, "soft-tcp"), newSide(t, "soft-tcp")
	ln := listen(t, y.adapter)
	active, err := x.adapter.NewEndpoint(rdma.EndpointConfig{Zone: x.zone})
	must(t, err)
	passive, err := y.adapter.NewEndpoint(rdma.EndpointConfig{Zone: y.zone})
	must(t, err)
	labels := make(chan string, 2)
	done := func(_ *rdma.Conn, err error) {
		if err != nil {
			t.Error(err)
		}
		labels <- ownLabels(t, "TestLabelsOfTheProgram.func1")
	}
	pprof.Do(within(t), pprof.Labels("mine", "yes"), func(ctx context.Context) {
		must(t, active.ConnectAsync(ctx, ln.Addr().String(), rdma.ConnConfig{}, done))
		r := <-ln.Requests()
		awaitLabels(t, `"mine":"yes", "rdma_adapter":"soft-tcp", "rdma_role":"connect"`)
		must(t, r.AcceptAsync(ctx, passive, rdma.ConnConfig{}, done))
	})
	for range 2 {
		if got := <-labels; got != `"mine":"yes"` {
			t.Errorf("the function has the labels %s", got)
		}
	}
}
