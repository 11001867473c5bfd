package hcatest_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca/hcatest"
)

// broken is an adapter with a defect, and the cases that must catch it. Each
// is written group/beginning of the promise.
type broken struct {
	name   string
	defect func() *defect
	caught []string
}

// passes remembers which cases a good adapter passes.
var passes = struct {
	sync.Mutex
	done map[string]*sync.Once
}{done: map[string]*sync.Once{}}

// control runs a case on the same decorator without a defect, once.
func control(t *testing.T, name string, c hcatest.Case) {
	passes.Lock()
	once := passes.done[name]
	if once == nil {
		once = new(sync.Once)
		passes.done[name] = once
	}
	passes.Unlock()
	once.Do(func() {
		if r := hcatest.Observe(hcatest.Harness{Open: decorated(&defect{})}, c); r.Failed {
			t.Errorf("%s fails without any defect:\n\t%s", name, head(r))
		}
	})
}

// TestBrokenAdapters shows that the suite catches adapters that break one
// promise, and that the same cases pass without the defect.
func TestBrokenAdapters(t *testing.T) {
	for _, b := range slices.Concat(brokenEntries, brokenEvents, brokenMemory, brokenConnections, brokenWork) {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel() // they mostly wait for what does not come
			for _, name := range b.caught {
				c := find(t, name)
				control(t, name, c)
				// Some defects show only as silence, so waits are short.
				h := hcatest.Harness{Open: decorated(b.defect()), Patience: 500 * time.Millisecond}
				r := hcatest.Observe(h, c)
				if !r.Failed {
					t.Errorf("not caught by %s", name)
				}
				t.Logf("%s: %s", name, head(r))
			}
		})
	}
}

func find(t *testing.T, name string) hcatest.Case {
	group, promise, _ := strings.Cut(name, "/")
	for _, c := range hcatest.Find(group, "") {
		if strings.HasPrefix(c.Name, promise) {
			return c
		}
	}
	t.Fatalf("no case %s", name)
	return hcatest.Case{}
}

// head is the beginning of what a case said.
func head(r hcatest.Report) string { return strings.Join(r.Log[:min(len(r.Log), 3)], "\n\t") }

func TestObserveReports(t *testing.T) {
	h := hcatest.Harness{Open: decorated(&defect{})}
	if r := hcatest.Observe(h, find(t, "attributes/are stated")); r.Failed {
		t.Errorf("a good adapter failed: %v", r.Log)
	}
	h.Open = nil // a panic is a failure, not the end of the program
	if r := hcatest.Observe(h, find(t, "attributes/are stated")); !r.Failed {
		t.Errorf("a panic was not reported")
	}
}

func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	last := ""
	groups := map[string]bool{}
	for _, c := range hcatest.Cases() {
		name := c.Group + "/" + c.Name
		if seen[name] {
			t.Errorf("%s is there twice", name)
		}
		seen[name] = true
		if c.Group != last && groups[c.Group] {
			t.Errorf("group %s is in two places", c.Group)
		}
		last, groups[c.Group] = c.Group, true
	}
}
