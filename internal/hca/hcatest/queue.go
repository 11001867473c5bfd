package hcatest

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// queue is a completion queue with the only wait of the suite: poll, arm, poll again,
// park. Its methods may run concurrently.
type queue struct {
	*env
	name string
	cq   hca.CQ

	mu    sync.Mutex // Poll has one caller at a time
	bell  chan struct{}
	rings atomic.Int64
	hook  atomic.Pointer[func()] // called inside Notify
}

func (s *side) queue(depth int) *queue {
	s.Helper()
	q := &queue{env: s.env, name: s.name, bell: make(chan struct{}, 1)}
	cq, err := s.ad.NewCQ(hca.CQConfig{Depth: limit(depth, s.attr.MaxCQE), Notify: q.ring})
	s.must(s.name+": NewCQ", err)
	q.cq = cq
	return q
}

func (q *queue) ring() {
	q.rings.Add(1)
	if f := q.hook.Load(); f != nil {
		(*f)()
	}
	select {
	case q.bell <- struct{}{}:
	default:
	}
}

// poll takes up to n available entries.
func (q *queue) poll(n int) []hca.WC {
	q.mu.Lock()
	defer q.mu.Unlock()
	wcs := make([]hca.WC, n)
	got := q.cq.Poll(wcs)
	if got < 0 || got > n {
		q.Errorf("%s: Poll of %d gave %d", q.name, n, got)
		got = 0
	}
	return wcs[:got]
}

// drain takes all available entries.
func (q *queue) drain() []hca.WC {
	var all []hca.WC
	for {
		wcs := q.poll(7)
		if len(wcs) == 0 {
			return all
		}
		all = append(all, wcs...)
	}
}

// wait takes the next entry, and parks until there is one.
func (q *queue) wait() (hca.WC, error) {
	wc, _, err := q.waitOr(nil)
	return wc, err
}

// waitOr is wait that also gives up, without an entry, when quit is closed and
// none is left.
func (q *queue) waitOr(quit <-chan struct{}) (wc hca.WC, ok bool, err error) {
	timer := time.NewTimer(q.h.patience())
	defer timer.Stop()
	for {
		if wcs := q.poll(1); len(wcs) > 0 {
			return wcs[0], true, nil
		}
		if err := q.cq.Arm(); err != nil {
			return wc, false, fmt.Errorf("arm: %w", err)
		}
		if wcs := q.poll(1); len(wcs) > 0 {
			return wcs[0], true, nil
		}
		select {
		case <-q.bell:
		case <-quit:
			wcs := q.poll(1)
			return append(wcs, wc)[0], len(wcs) > 0, nil
		case <-timer.C:
			if wcs := q.poll(1); len(wcs) > 0 {
				return wc, false, fmt.Errorf("lost wake-up: %v was there, Notify was not called", wcs[0])
			}
			return wc, false, fmt.Errorf("no entry after %v", q.h.patience())
		}
	}
}

// next is wait on the case's goroutine.
func (q *queue) next(what string) hca.WC {
	q.Helper()
	wc, err := q.wait()
	q.must(q.name+": "+what, err)
	return wc
}

// spin polls without parking, for entries that may be Quiet.
func (q *queue) spin(what string) hca.WC {
	q.Helper()
	for end := time.Now().Add(q.h.patience()); ; runtime.Gosched() {
		if wcs := q.poll(1); len(wcs) > 0 {
			return wcs[0]
		}
		if time.Now().After(end) {
			q.Fatalf("%s: %s: no entry after %v", q.name, what, q.h.patience())
		}
	}
}

// empty checks that there is no entry.
func (q *queue) empty(what string) {
	q.Helper()
	for _, wc := range q.drain() {
		q.Errorf("%s: %s: unexpected entry %+v", q.name, what, wc)
	}
}
