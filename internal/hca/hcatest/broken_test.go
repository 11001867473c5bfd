package hcatest_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca/hcatest"
	"github.com/godapl/godapl/internal/race"
)

// broken is an adapter with a defect, and the cases that must catch it. Each
// is written group/beginning of the promise, and may end with " | " and a part of
// what the case says of it.
type broken struct {
	name   string
	defect func() *defect
	caught []string
}

// observation is one case on one broken adapter.
type observation struct {
	path, name    string
	why           string
	c             hcatest.Case
	broken, sound <-chan hcatest.Report
}

// TestBrokenAdapters shows that the suite detects adapters that break one promise, and
// that the same cases pass without the defect.
func TestBrokenAdapters(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector sees some of the defects too, which are there on purpose")
	}
	all := slices.Concat(brokenEntries, brokenEvents, brokenMemory, brokenConnections, brokenWork, brokenPosters, brokenQueues, brokenShared,
		brokenFences, brokenListeners, brokenRequests, brokenModifiers, brokenPuts,
		brokenOutside, brokenBindings, brokenBeside, brokenConcurrency, brokenRecords)
	// They mostly wait for events that never come, so many run at once.
	slots := make(chan struct{}, 64)
	observe := func(d *defect, patience time.Duration, c hcatest.Case) <-chan hcatest.Report {
		done := make(chan hcatest.Report, 1)
		go func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			done <- hcatest.Observe(hcatest.Harness{Open: decorated(d), Patience: patience}, c)
		}()
		return done
	}
	sound := map[string]hcatest.Report{}
	observations := map[string][]observation{}
	for _, b := range all {
		if observations[b.name] != nil {
			t.Fatalf("two adapters have the defect %q", b.name)
		}
		for _, name := range b.caught {
			name, why, _ := strings.Cut(name, " | ")
			d := b.defect()
			if d.path == "shm" && runtime.GOOS != "linux" {
				continue
			}
			o := observation{path: d.path, name: name, why: why, c: find(t, name)}
			if _, begun := sound[d.path+name]; !begun {
				sound[d.path+name] = hcatest.Report{}
				o.sound = observe(&defect{path: d.path}, 0, o.c)
			}
			// Some defects show only as silence, so waits are short.
			o.broken = observe(d, 500*time.Millisecond, o.c)
			observations[b.name] = append(observations[b.name], o)
		}
	}
	for _, b := range all {
		t.Run(b.name, func(t *testing.T) {
			for _, o := range observations[b.name] {
				if o.sound != nil {
					sound[o.path+o.name] = <-o.sound
				}
				if r := sound[o.path+o.name]; r.Failed {
					t.Errorf("%s fails without any defect:\n\t%s", o.name, head(r))
				} else if says(r, "not checked") && o.why != "" {
					t.Errorf("%s has nothing to check:\n\t%s", o.name, head(r))
				}
				r := <-o.broken
				if r.Failed && !says(r, o.why) { // a busy machine may have been too slow for it
					r = <-observe(b.defect(), 5*time.Second, o.c)
				}
				if !r.Failed {
					t.Errorf("not caught by %s", o.name)
				} else if !says(r, o.why) {
					t.Errorf("%s does not say %q:\n\t%s", o.name, o.why, strings.Join(r.Log, "\n\t"))
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

func says(r hcatest.Report, why string) bool {
	return why == "" || slices.ContainsFunc(r.Log, func(line string) bool { return strings.Contains(line, why) })
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
