package event_test

import (
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma/event"
)

// seed prints the seed of a random test, and takes it from GODAPL_SEED.
func seed(t *testing.T) uint64 {
	t.Helper()
	s := uint64(time.Now().UnixNano())
	if v := os.Getenv("GODAPL_SEED"); v != "" {
		var err error
		if s, err = strconv.ParseUint(v, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("GODAPL_SEED=%d", s)
	return s
}

// tagged is the n-th event of a producer.
type tagged struct{ producer, n int }

// queueSource is a source that a producer of the stress test feeds.
type queueSource struct {
	mu    sync.Mutex
	evs   []tagged
	wakes []bool
	armed bool
	wake  func()
}

func (s *queueSource) add(ev tagged, quiet bool) {
	s.mu.Lock()
	s.evs, s.wakes = append(s.evs, ev), append(s.wakes, !quiet)
	notify := s.armed && !quiet
	s.armed = s.armed && !notify
	s.mu.Unlock()
	if notify {
		s.wake()
	}
}

func (s *queueSource) Drain(dst []tagged) (n int, signalled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n = copy(dst, s.evs)
	for _, wake := range s.wakes[:n] {
		signalled = signalled || wake
	}
	s.evs, s.wakes = s.evs[n:], s.wakes[n:]
	return n, signalled
}

func (s *queueSource) Arm() error {
	s.mu.Lock()
	s.armed = true
	s.mu.Unlock()
	return nil
}

// stress is a dispatcher with producers of every kind and a consumer that
// changes faces.
type stress struct {
	t    *testing.T
	d    *event.Dispatcher[tagged]
	set  *event.Set
	rng  *rand.Rand
	next []int // per producer, what must come next
	got  int
}

func TestStress(t *testing.T) {
	const rounds = 8
	s := seed(t)
	for round := range uint64(rounds) {
		stressOnce(t, rand.New(rand.NewPCG(s, round)), round%2 == 1)
	}
}

func stressOnce(t *testing.T, rng *rand.Rand, sources bool) {
	const producers, each = 4, 1500
	x := &stress{t: t, rng: rng, set: event.NewSet(), next: make([]int, producers)}
	x.d = event.New[tagged](event.Config{Depth: 1 + rng.IntN(100)})
	defer x.d.Close()
	defer x.set.Close()

	var wg sync.WaitGroup
	for p := range producers {
		rng := rand.New(rand.NewPCG(rng.Uint64(), uint64(p)))
		var src *queueSource
		if sources && p%2 == 0 {
			src = &queueSource{wake: event.ProviderOf(x.d).Wake}
			event.ProviderOf(x.d).Attach(src)
		}
		wg.Go(func() { x.produce(rng, p, each, src) })
	}
	stop := make(chan struct{})
	meddling := rand.New(rand.NewPCG(rng.Uint64(), 99))
	var meddler sync.WaitGroup
	meddler.Go(func() { x.meddle(meddling, stop) })
	for x.got < producers*each {
		x.consume()
	}
	wg.Wait()
	close(stop)
	meddler.Wait()
	dst := make([]tagged, 1)
	if n := x.d.Poll(dst); n != 0 || x.d.Err() != nil {
		t.Fatalf("an event too many: %v, %v", dst, x.d.Err())
	}
}

// produce makes n events in the ways there are. The last is never quiet, or a
// wait might rightly not end.
func (x *stress) produce(rng *rand.Rand, p, n int, src *queueSource) {
	for i := 0; i < n; runtime.Gosched() {
		quiet := rng.IntN(3) == 0 && i < n-200
		ev := tagged{p, i}
		if src != nil {
			src.add(ev, quiet)
			i++
			if rng.IntN(50) == 0 {
				event.ProviderOf(x.d).Pump()
			}
			continue
		}
		switch rng.IntN(4) {
		case 0:
			if x.d.Post(ev) == nil {
				i++
			}
		case 1:
			if event.ProviderOf(x.d).Put(&ev, quiet) {
				i++
			}
		case 2:
			if event.ProviderOf(x.d).PutAfterSources(&ev, quiet) {
				i++
			}
		case 3:
			var evs []tagged
			for k := range min(1+rng.IntN(20), n-i) {
				evs = append(evs, tagged{p, i + k})
			}
			i += event.ProviderOf(x.d).PutAll(evs, quiet)
		}
	}
}

// meddle changes what may be changed at any time.
func (x *stress) meddle(rng *rand.Rand, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		switch rng.IntN(5) {
		case 0:
			x.d.Resize(1 + rng.IntN(200))
		case 1:
			event.ProviderOf(x.d).Disable()
			event.ProviderOf(x.d).Enable()
		case 2:
			x.d.StopChan()
		case 3:
			event.ProviderOf(x.d).Pump()
		case 4:
			x.d.Len()
			x.d.State()
		}
	}
}

// take checks an event: each producer's come in order, none twice, none lost.
func (x *stress) take(evs ...tagged) {
	for _, ev := range evs {
		if ev.n != x.next[ev.producer] {
			x.t.Fatalf("producer %d: got %d, want %d", ev.producer, ev.n, x.next[ev.producer])
		}
		x.next[ev.producer]++
		x.got++
	}
}

// consume takes some events by a face of chance.
func (x *stress) consume() {
	dst := make([]tagged, 1+x.rng.IntN(64))
	switch x.rng.IntN(8) {
	case 0:
		x.take(dst[:x.d.Poll(dst)]...)
	case 1:
		if ev, err := x.d.Dequeue(); err == nil {
			x.take(ev)
		}
	case 2:
		if ev, _, err := x.d.WaitTimeout(time.Millisecond, 1+x.rng.IntN(x.d.Cap())); err == nil {
			x.take(ev)
		}
	case 3:
		if n, err := x.d.WaitBatchTimeout(time.Millisecond, dst); err == nil {
			x.take(dst[:n]...)
		}
	case 4:
		x.channel()
	case 5:
		x.batches()
	case 6:
		x.throughSet(dst)
	case 7:
		if n, _ := x.d.WaitBatch(background, dst[:1]); n == 1 {
			x.take(dst[0])
		}
	}
}

func (x *stress) channel() {
	c := x.d.C()
	timeout := time.After(time.Millisecond)
	for range x.rng.IntN(100) {
		select {
		case ev, ok := <-c:
			if !ok {
				return
			}
			x.take(ev)
		case <-timeout:
			x.d.StopChan()
			return
		}
	}
	x.d.StopChan()
}

func (x *stress) batches() {
	c := x.d.Batches(event.BatchConfig{Size: 1 + x.rng.IntN(64), Threshold: x.rng.IntN(3), Within: time.Microsecond})
	timeout := time.After(time.Millisecond)
	for range x.rng.IntN(10) {
		select {
		case b, ok := <-c:
			if !ok {
				return
			}
			x.take(b.Events...)
			b.Release()
		case <-timeout:
			x.d.StopChan()
			return
		}
	}
	x.d.StopChan()
}

func (x *stress) throughSet(dst []tagged) {
	x.set.Add(x.d)
	for range x.rng.IntN(5) {
		if _, err := x.set.WaitTimeout(time.Millisecond); err == nil {
			x.take(dst[:x.d.Poll(dst)]...)
		}
	}
	x.set.Remove(x.d)
}

// Several pollers together get every event exactly once.
func TestManyPollers(t *testing.T) {
	const pollers, events = 4, 5000
	d := event.New[tagged](event.Config{Depth: 64})
	defer d.Close()
	src := &queueSource{wake: event.ProviderOf(d).Wake}
	event.ProviderOf(d).Attach(src)
	var mu sync.Mutex
	seen := make(map[tagged]int)
	var wg, producers sync.WaitGroup
	done := make(chan struct{})
	for range pollers {
		wg.Go(func() {
			dst := make([]tagged, 16)
			for {
				last := false
				select {
				case <-done:
					last = true
				default:
				}
				n := d.Poll(dst)
				mu.Lock()
				for _, ev := range dst[:n] {
					seen[ev]++
				}
				mu.Unlock()
				if last && n == 0 {
					return
				}
			}
		})
	}
	producers.Go(func() {
		for i := range events {
			src.add(tagged{0, i}, false)
		}
	})
	producers.Go(func() {
		for i := 0; i < events; {
			if d.Post(tagged{1, i}) == nil {
				i++
			}
		}
	})
	producers.Wait()
	close(done)
	wg.Wait()
	if len(seen) != 2*events {
		t.Fatalf("%d events, want %d", len(seen), 2*events)
	}
	for ev, n := range seen {
		if n != 1 {
			t.Fatalf("%v came %d times", ev, n)
		}
	}
}
