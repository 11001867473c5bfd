package peers_test

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// A queue is a completion queue whose consumer sleeps while it is empty: the adapter makes progress on its own.
type queue struct {
	hca.CQ
	doorbell chan struct{}
}

func newQueue(t testing.TB, a hca.Adapter) *queue {
	t.Helper()
	q := &queue{doorbell: make(chan struct{}, 1)}
	var err error
	q.CQ, err = a.NewCQ(hca.CQConfig{Depth: 256, Notify: func() {
		select {
		case q.doorbell <- struct{}{}:
		default:
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// next waits for an entry.
func (q *queue) next(t testing.TB) hca.WC {
	t.Helper()
	var wc [1]hca.WC
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for {
		if q.Poll(wc[:]) == 1 {
			return wc[0]
		}
		if err := q.Arm(); err != nil {
			t.Fatal(err)
		}
		if q.Poll(wc[:]) == 1 {
			return wc[0]
		}
		select {
		case <-q.doorbell:
		case <-timeout.C:
			t.Fatal("no completion came")
		}
	}
}

// A ledger records what was posted and how it ended.
type ledger struct {
	mu      sync.Mutex
	last    uint64
	allowed map[uint64][]hca.Status // of everything posted
	entries map[uint64][]hca.WC
}

func newLedger() *ledger {
	return &ledger{allowed: map[uint64][]hca.Status{}, entries: map[uint64][]hca.WC{}}
}

// enter counts a request that may end with one of these statuses.
func (l *ledger) enter(allowed ...hca.Status) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	l.allowed[l.last] = allowed
	return l.last
}

func (l *ledger) allow(id uint64, allowed ...hca.Status) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.allowed[id] = allowed
}

func (l *ledger) record(wc hca.WC) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries[wc.ID] = append(l.entries[wc.ID], wc)
}

// balance fails unless everything posted has completed once, with an allowed status.
func (l *ledger) balance(t testing.TB) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, allowed := range l.allowed {
		got := l.entries[id]
		if len(got) != 1 {
			t.Errorf("request %d completed %d times: %v", id, len(got), got)
			continue
		}
		if !slices.Contains(allowed, got[0].Status) {
			t.Errorf("%v %d ended with %q, want one of %q", got[0].Op, id, got[0].Status, allowed)
		}
	}
	for id, got := range l.entries {
		if _, ok := l.allowed[id]; !ok {
			t.Errorf("an entry for a request that was not posted: %v", got)
		}
	}
}

// poll polls the endpoint's queues until stop is called.
func (e *endpoint) poll() (stop func()) {
	var poller sync.WaitGroup
	var over atomic.Bool
	poller.Go(func() {
		for !over.Load() {
			e.drain()
			runtime.Gosched()
		}
	})
	return func() {
		over.Store(true)
		poller.Wait()
	}
}

// park sleeps for the endpoint's receives, and drives the connection meanwhile, until stop is called.
func (e *endpoint) park() (stop func()) {
	e.t.Helper()
	p := e.rcq.CQ.(hca.Parker)
	if !p.AcquirePark() {
		e.t.Skip("consumers do not park here")
	}
	var sleeper sync.WaitGroup
	var over atomic.Bool
	kick := *p.Kicker()
	sleeper.Go(func() {
		for !over.Load() && p.Park(nil) {
		}
		p.ReleasePark(false)
	})
	return func() {
		over.Store(true)
		kick()
		sleeper.Wait()
	}
}
