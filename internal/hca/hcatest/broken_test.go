package hcatest_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca/hcatest"
	"github.com/godapl/godapl/internal/race"
)

// broken is an adapter with a defect, and the cases that must catch it. Each
// is written group/beginning of the promise.
type broken struct {
	name   string
	defect func() *defect
	caught []string
}

// observation is one case on one broken adapter.
type observation struct {
	name          string
	broken, sound <-chan hcatest.Report
}

// TestBrokenAdapters shows that the suite detects adapters that break one promise, and
// that the same cases pass without the defect.
func TestBrokenAdapters(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector sees some of the defects too, which are there on purpose")
	}
	all := slices.Concat(brokenEntries, brokenEvents, brokenMemory, brokenConnections, brokenWork, brokenPosters, brokenQueues, brokenShared)
	// They mostly wait for events that never come, so many run at once.
	slots := make(chan struct{}, 64)
	observe := func(h hcatest.Harness, c hcatest.Case) <-chan hcatest.Report {
		done := make(chan hcatest.Report, 1)
		go func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			done <- hcatest.Observe(h, c)
		}()
		return done
	}
	sound := map[string]hcatest.Report{}
	observations := map[string][]observation{}
	for _, b := range all {
		for _, name := range b.caught {
			o := observation{name: name}
			c := find(t, name)
			if _, begun := sound[name]; !begun {
				sound[name] = hcatest.Report{}
				o.sound = observe(hcatest.Harness{Open: decorated(&defect{})}, c)
			}
			// Some defects show only as silence, so waits are short.
			o.broken = observe(hcatest.Harness{Open: decorated(b.defect()), Patience: 500 * time.Millisecond}, c)
			observations[b.name] = append(observations[b.name], o)
		}
	}
	for _, b := range all {
		t.Run(b.name, func(t *testing.T) {
			for _, o := range observations[b.name] {
				if o.sound != nil {
					sound[o.name] = <-o.sound
				}
				if r := sound[o.name]; r.Failed {
					t.Errorf("%s fails without any defect:\n\t%s", o.name, head(r))
				}
				r := <-o.broken
				if !r.Failed {
					t.Errorf("not caught by %s", o.name)
				}
				t.Logf("%s: %s", o.name, head(r))
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

// head is the first lines of a case's log.
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
