package rdmatest

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma/mem"
)

// chaotic reads until the connection ends, or a hundred times.
func chaotic(t *testing.T, w *World) {
	w.Link(w.Host("a"), w.Host("b")).Latency(time.Millisecond)
	a, b := w.Pair(w.Host("a"), w.Host("b"))
	page, err := a.Zone().Alloc(64, mem.Local)
	if err != nil {
		t.Fatal(err)
	}
	there, err := b.Zone().Alloc(64, mem.All)
	if err != nil {
		t.Fatal(err)
	}
	w.Chaos(0.05)
	for range 100 {
		if _, err := a.Read(w.Context(), page.All(), there.All().Remote()); err != nil {
			return
		}
	}
}

// failsWhenCut is a program whose failure needs one fault of one kind.
func failsWhenCut(t *testing.T, w *World) {
	chaotic(t, w)
	if w.Fired()["cut"] > 0 {
		t.Error("cut")
	}
}

// manyChances returns a failure of the program with several faults by chance.
func manyChances(t *testing.T) *World {
	t.Helper()
	for seed := uint64(1); seed < 500; seed++ {
		if w, failed := apart(seed, nil, failsWhenCut); failed && len(w.chances) > 3 {
			return w
		}
	}
	t.Fatal("no world fails")
	return nil
}

// TestTheFaultsThatAFailureNeeds: the others are left out, and the numbers that are logged make it fail alone.
func TestTheFaultsThatAFailureNeeds(t *testing.T) {
	defer alone()()
	before := manyChances(t)
	left, w := needed(before.seed, len(before.chances), failsWhenCut)
	if len(left) != 1 || !strings.HasPrefix(w.chances[left[0]], "a cut of") {
		t.Fatalf("of %q these are left: %v", before.chances, left)
	}
	if n := len(w.Fired()); n != 1 {
		t.Errorf("%d kinds of faults happened: %v", n, w.Fired())
	}
	if got := whichFaults(before, failsWhenCut); !strings.Contains(got, w.chances[left[0]]) || !strings.Contains(got, faultsVariable+"="+strconv.Itoa(left[0])) {
		t.Error(got)
	}
	always := func(t *testing.T, w *World) { chaotic(t, w); t.Fail() }
	if got := whichFaults(before, always); !strings.Contains(got, "without") {
		t.Error(got)
	}
	counted := func(t *testing.T, w *World) { // needs all
		chaotic(t, w)
		if w.only == nil || len(w.only) == len(before.chances) {
			t.Fail()
		}
	}
	if got := whichFaults(before, counted); !strings.Contains(got, "all of its") {
		t.Error(got)
	}
	if got := whichFaults(&World{seed: 1}, always); got != "" {
		t.Error(got)
	}
}

// TestSomeFaultsAlone: the variable lets only these happen.
func TestSomeFaultsAlone(t *testing.T) {
	restore := alone()
	before := manyChances(t)
	left, _ := needed(before.seed, len(before.chances), failsWhenCut)
	restore()
	t.Setenv(seedVariable, strconv.FormatUint(before.seed, 10))
	for _, c := range []struct {
		faults string
		cuts   int
	}{{strconv.Itoa(left[0]), 1}, {"none", 0}} {
		t.Setenv(faultsVariable, c.faults)
		Worlds(t, 1, func(t *testing.T, w *World) {
			chaotic(t, w)
			if got := w.Fired(); got["cut"] != c.cuts || len(got) != c.cuts {
				t.Errorf("with %s: %v", c.faults, got)
			}
		})
	}
	for _, text := range []string{"x", "1,,2", "-1"} {
		t.Setenv(faultsVariable, text)
		if _, err := allowed(); err == nil || !strings.Contains(err.Error(), faultsVariable) {
			t.Errorf("%q: %v", text, err)
		}
	}
	t.Setenv(faultsVariable, "3, 1")
	if got, err := allowed(); err != nil || len(got) != 2 || got[0] != 3 || got[1] != 1 {
		t.Error(got, err)
	}
}
