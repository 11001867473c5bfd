package event_test

import (
	"context"
	"testing"

	"github.com/godapl/godapl/rdma/event"
)

// entry is as large as a completion.
type entry struct {
	Cookie uint64
	From   *int
	Words  [6]uint64
}

const batch = 64

func BenchmarkPutPoll1(b *testing.B) {
	d := event.New[entry](event.Config{})
	var ev, got entry
	dst := []entry{got}
	b.ReportAllocs()
	for b.Loop() {
		event.ProviderOf(d).Put(&ev, false)
		if d.Poll(dst) != 1 {
			b.Fatal("lost")
		}
	}
}

func perEvent(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/batch, "ns/event")
}

func BenchmarkPutPoll64(b *testing.B) {
	d := event.New[entry](event.Config{})
	var ev entry
	dst := make([]entry, batch)
	b.ReportAllocs()
	for b.Loop() {
		for range batch {
			event.ProviderOf(d).Put(&ev, false)
		}
		if d.Poll(dst) != batch {
			b.Fatal("lost")
		}
	}
	perEvent(b)
}

func BenchmarkPutAllPoll64(b *testing.B) {
	d := event.New[entry](event.Config{})
	evs, dst := make([]entry, batch), make([]entry, batch)
	b.ReportAllocs()
	for b.Loop() {
		event.ProviderOf(d).PutAll(evs, false)
		if d.Poll(dst) != batch {
			b.Fatal("lost")
		}
	}
	perEvent(b)
}

// endless is a source that always has as many as are asked for.
type endless struct{ evs [batch]entry }

func (s *endless) Drain(dst []entry) (int, bool) { return copy(dst, s.evs[:]), true }
func (s *endless) Arm() error                    { return nil }

func benchSource(b *testing.B, n int) {
	d := event.New[entry](event.Config{})
	event.ProviderOf(d).Attach(new(endless))
	dst := make([]entry, n)
	b.ReportAllocs()
	for b.Loop() {
		if d.Poll(dst) != n {
			b.Fatal("lost")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/event")
}

func BenchmarkSourcePoll1(b *testing.B)  { benchSource(b, 1) }
func BenchmarkSourcePoll64(b *testing.B) { benchSource(b, batch) }

func benchWait(b *testing.B, threshold int) {
	d := event.New[entry](event.Config{})
	evs, dst := make([]entry, threshold), make([]entry, threshold)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		event.ProviderOf(d).PutAll(evs, false)
		_, more, err := d.Wait(ctx, threshold)
		if err != nil || more != threshold-1 {
			b.Fatal("lost")
		}
		if more > 0 && d.Poll(dst) != more {
			b.Fatal("lost")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(threshold), "ns/event")
}

func BenchmarkWait1(b *testing.B)  { benchWait(b, 1) }
func BenchmarkWait16(b *testing.B) { benchWait(b, 16) }
func BenchmarkWait64(b *testing.B) { benchWait(b, 64) }

// flow is a producer that puts b.N events in batches, and stops while 16 batches
// are under way.
type flow struct {
	d      *event.Dispatcher[entry]
	credit chan struct{}
	taken  int
}

func newFlow(b *testing.B) *flow {
	f := &flow{d: event.New[entry](event.Config{Depth: 16 * batch}), credit: make(chan struct{}, 16)}
	b.Cleanup(func() { f.d.Close() })
	b.ReportAllocs()
	go func() {
		evs := make([]entry, batch)
		for n := b.N; n > 0; n -= batch {
			f.credit <- struct{}{}
			if k := min(n, batch); event.ProviderOf(f.d).PutAll(evs[:k], false) != k {
				panic("lost")
			}
		}
	}()
	return f
}

// took gives credit back for events taken.
func (f *flow) took(n int) {
	for f.taken += n; f.taken >= batch; f.taken -= batch {
		<-f.credit
	}
}

func BenchmarkC(b *testing.B) {
	f := newFlow(b)
	for range b.N {
		<-f.d.C()
		f.took(1)
	}
}

func BenchmarkBatches(b *testing.B) {
	f := newFlow(b)
	c := f.d.Batches(event.BatchConfig{Size: batch})
	for n := 0; n < b.N; {
		bt := <-c
		n += len(bt.Events)
		f.took(len(bt.Events))
		bt.Release()
	}
}

func BenchmarkDrain(b *testing.B) {
	f := newFlow(b)
	n := 0
	for evs, err := range f.d.Drain(context.Background(), make([]entry, batch)) {
		if err != nil {
			b.Fatal(err)
		}
		f.took(len(evs))
		if n += len(evs); n == b.N {
			break
		}
	}
}

// A consumer that sleeps and is woken for every event, there and back.
func BenchmarkWaitParked(b *testing.B) {
	d, back := event.New[entry](event.Config{}), event.New[entry](event.Config{})
	b.ReportAllocs()
	go func() {
		for range b.N {
			d.Wait(context.Background(), 1)
			back.Post(entry{})
		}
	}()
	for range b.N {
		d.Post(entry{})
		back.Wait(context.Background(), 1)
	}
}

func benchSet(b *testing.B, members int) {
	s := event.NewSet()
	var ds []*event.Dispatcher[entry]
	for range members {
		d := event.New[entry](event.Config{Depth: 1})
		if err := s.Add(d); err != nil {
			b.Fatal(err)
		}
		ds = append(ds, d)
	}
	ctx := context.Background()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		d := ds[i%len(ds)]
		i += 7
		d.Post(entry{})
		if m, err := s.Wait(ctx); err != nil || m != d {
			b.Fatal(m, err)
		}
		if _, err := d.Dequeue(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSet10(b *testing.B)    { benchSet(b, 10) }
func BenchmarkSet10000(b *testing.B) { benchSet(b, 10000) }
