package integration_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// ledger records the posts of one queue and their results. It has a page for each goroutine
// that posts: within a page the order is known, and is checked. A cookie is the page and the
// number in it.
type ledger struct {
	name string

	mu     sync.Mutex
	pages  []page
	faults []string
}

type page struct {
	entries []entry
	last    int    // highest number seen, -1 before
	failed  string // the first that did not succeed: no later one may
}

type entry struct {
	quietly bool // its success leaves no completion
	seen    int
	status  rdma.Status
}

func newLedger(name string, pages int) *ledger {
	l := &ledger{name: name, pages: make([]page, pages)}
	for i := range l.pages {
		l.pages[i].last = -1
	}
	return l
}

// faultf records a fault; only the first few are kept. l.mu is held.
func (l *ledger) faultf(format string, args ...any) {
	if len(l.faults) < 10 {
		l.faults = append(l.faults, fmt.Sprintf(format, args...))
	}
}

// enter records a post before it is made, since it may complete before the post returns.
// It returns the cookie.
func (l *ledger) enter(p int, flags rdma.Flags) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	pg := &l.pages[p]
	quietly := flags&rdma.NoCompletion != 0
	pg.entries = append(pg.entries, entry{quietly: quietly})
	return uint64(p)<<32 | uint64(len(pg.entries)-1)
}

// strike removes the last n entries of a page: these posts were not accepted.
func (l *ledger) strike(p, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	pg := &l.pages[p]
	keep := len(pg.entries) - n
	for i, e := range pg.entries[keep:] {
		if e.seen > 0 {
			l.faultf("number %d of page %d was refused and completed", keep+i, p)
		}
	}
	pg.entries = pg.entries[:keep]
}

// post makes one post.
func (l *ledger) post(p int, flags rdma.Flags, f func(cookie uint64) error) error {
	err := f(l.enter(p, flags))
	if err != nil {
		l.strike(p, 1)
	}
	return err
}

func (l *ledger) complete(c *rdma.Completion) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, n := int(c.Cookie>>32), int(c.Cookie&0xffffffff)
	if p >= len(l.pages) || n >= len(l.pages[p].entries) {
		l.faultf("a completion of no post: %#x, %v %v", c.Cookie, c.Op, c.Status)
		return
	}
	pg := &l.pages[p]
	e := &pg.entries[n]
	e.seen++
	e.status = c.Status
	switch ok := c.Status == rdma.StatusOK; {
	case e.seen > 1:
		l.faultf("number %d of page %d completed %d times", n, p, e.seen)
	case n <= pg.last:
		l.faultf("number %d of page %d came behind number %d", n, p, pg.last)
	case ok && pg.failed != "":
		l.faultf("number %d of page %d, %v, succeeded behind a failure: %s", n, p, c.Op, pg.failed)
	case ok && e.quietly:
		l.faultf("number %d of page %d is a suppressed success", n, p)
	}
	pg.last = max(pg.last, n)
	if c.Status != rdma.StatusOK && pg.failed == "" {
		pg.failed = fmt.Sprintf("number %d, %v: %v", n, c.Op, c.Status)
	}
}

func (l *ledger) take(list []rdma.Completion) {
	for i := range list {
		l.complete(&list[i])
	}
}

// check reports posts without a completion, when all completions are taken. It returns the
// number of posts, and how many of them did not succeed.
func (l *ledger) check(t testing.TB, what string) (posts, failures int) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for p := range l.pages {
		failed := ""
		for n, e := range l.pages[p].entries {
			posts++
			switch {
			case e.seen > 0:
				if e.status != rdma.StatusOK && failed == "" {
					failed = fmt.Sprintf("number %d: %v", n, e.status)
				}
			case !e.quietly:
				l.faultf("number %d of page %d of %d never completed", n, p, len(l.pages[p].entries))
			case failed != "":
				l.faultf("number %d of page %d, suppressed, was not flushed behind a failure: %s", n, p, failed)
			}
			if e.seen > 0 && e.status != rdma.StatusOK {
				failures++
			}
		}
	}
	for _, f := range l.faults {
		t.Errorf("%s: %s: %s", what, l.name, f)
	}
	return posts, failures
}
