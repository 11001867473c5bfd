package hcatest

import (
	"errors"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

// ledger counts the requests of one queue by posting goroutine. The requests of one
// goroutine have a known order, which is checked.
type ledger struct {
	name string

	mu    sync.Mutex
	pages []page
}

// page is the account of one goroutine.
type page struct {
	posted []entry
	last   int  // highest number seen, -1 before
	failed bool // a request failed: no later one may succeed
}

type entry struct {
	flags  hca.Flags
	seen   int
	status hca.Status
}

func newLedger(name string, pages int) *ledger {
	l := &ledger{name: name, pages: make([]page, pages)}
	for i := range l.pages {
		l.pages[i].last = -1
	}
	return l
}

// post enters a request before it is posted, since its entry may be polled
// before the post returns. It reports whether the request was accepted.
func (l *ledger) post(p int, f hca.Flags, post func(id uint64) error, e *end) bool {
	l.mu.Lock()
	pg := &l.pages[p]
	n := len(pg.posted)
	pg.posted = append(pg.posted, entry{flags: f})
	l.mu.Unlock()
	err := post(uint64(p)<<32 | uint64(n))
	if err == nil {
		return true
	}
	// While draining requests are a state error.
	if !errors.Is(err, hca.QueueFull) && !errors.Is(err, hca.State) && !errors.Is(err, hca.Closed) {
		e.Errorf("%s: post: %v", l.name, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if pg.posted[n].seen > 0 {
		e.Errorf("%s: number %d was refused and has an entry", l.name, n)
	}
	pg.posted = pg.posted[:n]
	return false
}

func (l *ledger) complete(t *env, wc hca.WC) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, n := int(wc.ID>>32), int(wc.ID&0xFFFFFFFF)
	if p >= len(l.pages) || n >= len(l.pages[p].posted) {
		t.Errorf("%s: entry %#x was never posted", l.name, wc.ID)
		return
	}
	pg := &l.pages[p]
	e := &pg.posted[n]
	if e.seen++; e.seen > 1 {
		t.Errorf("%s: number %d of goroutine %d completed %d times", l.name, n, p, e.seen)
	}
	if n <= pg.last {
		t.Errorf("%s: number %d of goroutine %d came behind number %d", l.name, n, p, pg.last)
	}
	pg.last = max(pg.last, n)
	e.status = wc.Status
	if wc.Status == hca.StatusOK && pg.failed {
		t.Errorf("%s: number %d of goroutine %d succeeded behind a failure", l.name, n, p)
	}
	if wc.Status == hca.StatusOK && e.flags&hca.Suppress != 0 {
		t.Errorf("%s: number %d of goroutine %d is a suppressed success", l.name, n, p)
	}
	pg.failed = pg.failed || wc.Status != hca.StatusOK
}

// check reports requests without an entry when all entries are there.
func (l *ledger) check(t *env, what string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for p := range l.pages {
		failed := false
		for n, e := range l.pages[p].posted {
			switch {
			case e.seen > 0:
				failed = failed || e.status != hca.StatusOK
			case e.flags&hca.Suppress == 0:
				t.Errorf("%s: %s: number %d of goroutine %d never completed", what, l.name, n, p)
			case failed:
				t.Errorf("%s: %s: number %d of goroutine %d, suppressed, was not flushed behind a failure", what, l.name, n, p)
			}
		}
	}
}
