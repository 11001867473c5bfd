package event_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/rdma/event"
)

var background = context.Background()

// source is a completion queue: it notifies once per Arm, of events that are
// not quiet.
type source struct {
	wake  func()
	mu    sync.Mutex
	evs   []int
	wakes []bool
	// armed and the counters are guarded by mu.
	armed        bool
	arms, drains int
	armErr       error
	inDrain      func() // called in every Drain, before it looks
}

func newSource[T any](d *event.Dispatcher[T]) *source { return &source{wake: event.ProviderOf(d).Wake} }

func attach(t testing.TB, d *event.Dispatcher[int]) *source {
	t.Helper()
	s := newSource(d)
	if err := event.ProviderOf(d).Attach(s); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *source) add(quiet bool, evs ...int) {
	s.mu.Lock()
	for _, ev := range evs {
		s.evs = append(s.evs, ev)
		s.wakes = append(s.wakes, !quiet)
	}
	notify := s.armed && !quiet
	if notify {
		s.armed = false
	}
	s.mu.Unlock()
	if notify {
		s.wake()
	}
}

func (s *source) Drain(dst []int) (n int, signalled bool) {
	if s.inDrain != nil {
		s.inDrain()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drains++
	n = copy(dst, s.evs)
	for _, wake := range s.wakes[:n] {
		signalled = signalled || wake
	}
	s.evs, s.wakes = s.evs[n:], s.wakes[n:]
	return n, signalled
}

func (s *source) Arm() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arms++
	if s.armErr == nil {
		s.armed = true
	}
	return s.armErr
}

func (s *source) held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.evs)
}

func (s *source) armCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.arms
}

// post queues events that must find room.
func post(t testing.TB, d *event.Dispatcher[int], evs ...int) {
	t.Helper()
	for _, ev := range evs {
		if err := d.Post(ev); err != nil {
			t.Fatal(err)
		}
	}
}

// wantPoll polls and compares.
func wantPoll(t testing.TB, d *event.Dispatcher[int], want ...int) {
	t.Helper()
	dst := make([]int, len(want)+1)
	got := dst[:d.Poll(dst)]
	if len(got) != len(want) {
		t.Fatalf("polled %v, want %v", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("polled %v, want %v", got, want)
		}
	}
}

func wantErr(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}

// result is what a wait returned.
type result struct {
	first, more int
	err         error
}

// waitFor starts a wait inside a bubble, and returns when it is parked or over.
func waitFor(d *event.Dispatcher[int], ctx context.Context, threshold int) <-chan result {
	c := make(chan result, 1)
	go func() {
		first, more, err := d.Wait(ctx, threshold)
		c <- result{first, more, err}
	}()
	synctest.Wait()
	return c
}

// still fails if the wait is over.
func still(t testing.TB, c <-chan result) {
	t.Helper()
	synctest.Wait()
	select {
	case r := <-c:
		t.Fatalf("the wait ended with %+v", r)
	default:
	}
}

// over returns the result of a wait that must be over.
func over(t testing.TB, c <-chan result) result {
	t.Helper()
	synctest.Wait()
	select {
	case r := <-c:
		return r
	default:
		t.Fatal("the wait goes on")
		panic("unreachable")
	}
}

// nobodyReady fails if the set has something to report.
func nobodyReady(t testing.TB, s *event.Set) {
	t.Helper()
	if m, err := s.WaitTimeout(0); !errors.Is(err, event.ErrTimeout) {
		t.Fatalf("the set reports %v, %v; want nothing", m, err)
	}
}

func wantReady(t testing.TB, s *event.Set, want event.Member) {
	t.Helper()
	if m, err := s.WaitTimeout(0); err != nil || m != want {
		t.Fatalf("the set reports %v, %v; want %v", m, err, want.Name())
	}
}

const second = time.Second
