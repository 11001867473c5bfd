package event_test

import (
	"context"
	"iter"
	"testing"

	"github.com/godapl/godapl/rdma/event"
)

// noAllocs fails if f allocates.
func noAllocs(t *testing.T, name string, f func()) {
	t.Helper()
	f()
	if n := testing.AllocsPerRun(100, f); n != 0 {
		t.Errorf("%s: %v allocations", name, n)
	}
}

func TestNoFaceAllocatesPerEvent(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	d := event.New[entry](event.Config{})
	var ev entry
	evs, dst := make([]entry, batch), make([]entry, batch)
	noAllocs(t, "Post, Poll", func() { d.Post(ev); d.Poll(dst) })
	noAllocs(t, "Put, Dequeue", func() { event.ProviderOf(d).Put(&ev, false); d.Dequeue() })
	noAllocs(t, "PutAll, Poll", func() { event.ProviderOf(d).PutAll(evs, true); d.Poll(dst) })
	noAllocs(t, "Dequeue of nothing", func() { d.Dequeue() })
	noAllocs(t, "Wait", func() { event.ProviderOf(d).PutAll(evs[:2], false); d.Wait(ctx, 2); d.Wait(ctx, 1) })
	noAllocs(t, "WaitTimeout", func() { d.Post(ev); d.WaitTimeout(second, 1) })
	noAllocs(t, "WaitTimeout that ends", func() { d.WaitTimeout(1, 1) })
	noAllocs(t, "WaitBatch", func() { d.Post(ev); d.WaitBatch(ctx, dst) })
	full := event.New[entry](event.Config{Depth: 1})
	full.Post(ev)
	noAllocs(t, "Post to a full queue", func() { full.Post(ev) })

	steps, stop := iter.Pull2(d.Drain(ctx, dst))
	noAllocs(t, "Drain", func() { d.Post(ev); steps() })
	stop()
	noAllocs(t, "C", func() { d.Post(ev); <-d.C() })
	d.StopChan()
	noAllocs(t, "Batches", func() { event.ProviderOf(d).PutAll(evs, false); (<-d.Batches(event.BatchConfig{Size: 0})).Release() })
	d.StopChan()
	d.Poll(make([]entry, 1000))

	s := newSet(t, d)
	noAllocs(t, "Set.Wait", func() { d.Post(ev); s.Wait(ctx); d.Poll(dst) })
	noAllocs(t, "Set.WaitTimeout", func() { d.Post(ev); s.WaitTimeout(second); d.Poll(dst) })
	noAllocs(t, "Set.WaitTimeout that ends", func() { s.WaitTimeout(1) })
	noAllocs(t, "Set.C", func() { d.Post(ev); <-s.C(); d.Poll(dst) })

	pulled := event.New[entry](event.Config{})
	src := &burst{}
	event.ProviderOf(pulled).Attach(src)
	noAllocs(t, "Poll of a source", func() { src.n = 3; pulled.Poll(dst) })
	noAllocs(t, "Wait on a source", func() { src.n = 3; pulled.Wait(ctx, 3); pulled.Poll(dst) })
	noAllocs(t, "Dequeue of a source", func() { src.n = 1; pulled.Dequeue() })
	noAllocs(t, "PutAfterSources", func() { src.n = 1; event.ProviderOf(pulled).PutAfterSources(&ev, false); pulled.Poll(dst) })
}

// burst is a source of n events.
type burst struct{ n int }

func (s *burst) Drain(dst []entry) (int, bool) {
	n := min(s.n, len(dst))
	s.n -= n
	return n, n > 0
}

func (s *burst) Arm() error { return nil }

// Waits that park allocate nothing either: two goroutines wake each other.
func TestParkedWaitsDoNotAllocate(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	for name, wait := range map[string]func(*event.Dispatcher[entry]) error{
		"Wait":        func(d *event.Dispatcher[entry]) error { _, _, err := d.Wait(ctx, 1); return err },
		"WaitTimeout": func(d *event.Dispatcher[entry]) error { _, _, err := d.WaitTimeout(100*second, 1); return err },
	} {
		there, back := event.New[entry](event.Config{}), event.New[entry](event.Config{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			for wait(there) == nil {
				back.Post(entry{})
			}
		}()
		noAllocs(t, name, func() {
			for range 100 {
				there.Post(entry{})
				wait(back)
			}
		})
		there.Close()
		<-done
	}
}
