package rdmatest

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The faults by chance have numbers, in the order in which they are drawn. A world can be run again with some of them
// alone. Then a history becomes shorter, and what is left of the faults says why it fails.

// faultsVariable has the numbers of the faults by chance that happen, with commas between them, or "none".
const faultsVariable = "GODAPL_WORLD_FAULTS"

// chances are the faults by chance, in the order of World.maybe, and killChance is the place of the last.
var chances = [...]struct {
	what   string
	ofLink bool // and not of a host
	ofWire bool // of a link, or of a host's stream: none of a host that only shares memory
}{
	{"a cut of", true, true}, {"a partition of", true, true}, {"a stop of", false, false}, {"latency of", true, true}, {"a slow reader,", false, true},
	{"an operation that fails, near", false, false}, {"a call that fails, of", false, false}, {"completions that are late, near", false, false},
	{"memory that is revoked, near", false, false}, {"an asynchronous error of", false, false}, {"a kill of", false, false},
}

const killChance = len(chances) - 1

// happens counts a fault by chance, and reports whether it is to happen. The caller holds w.mu.
func (w *World) happens(kind int, l *Link, h *Host) bool {
	n, name := len(w.chances), h.name
	if chances[kind].ofLink {
		name = l.name
	}
	w.chances = append(w.chances, fmt.Sprintf("%s %s at %v", chances[kind].what, name, time.Since(w.begun)))
	return w.only == nil || slices.Contains(w.only, n)
}

// allow lets only the faults with these numbers happen, of those by chance; nil: all.
func (w *World) allow(numbers []int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.only = numbers
}

// allowed returns what faultsVariable says; nil: it says nothing.
func allowed() ([]int, error) {
	text := os.Getenv(faultsVariable)
	switch text {
	case "":
		return nil, nil
	case "none":
		return []int{}, nil
	}
	var numbers []int
	for _, part := range strings.Split(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 0 {
			return nil, fmt.Errorf("rdmatest: %s=%s: want numbers of faults with commas between them, as a failed world logs them, or none", faultsVariable, text)
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// mostTries bounds how often a program is run to find the faults that it needs to fail.
const mostTries = 200

// needed returns the faults by chance without which the program does not fail: it leaves out as many of them as it can,
// first all, then parts.
func needed(seed uint64, all int, program func(t *testing.T, w *World)) (left []int, last *World) {
	left = make([]int, all)
	for i := range left {
		left[i] = i
	}
	tries := 0
	for size := all; size > 0; size /= 2 {
		for at := 0; at < len(left) && tries < mostTries; tries++ {
			rest := slices.Concat(left[:at], left[min(at+size, len(left)):])
			if rest == nil {
				rest = []int{} // none
			}
			if w, failed := apart(seed, rest, program); failed {
				left, last = rest, w
			} else {
				at += size
			}
		}
	}
	return left, last
}

// whichFaults says in words which faults by chance a program needs that has failed; "" if there were none.
func whichFaults(before *World, program func(t *testing.T, w *World)) string {
	all := len(before.chances)
	if all == 0 {
		return ""
	}
	left, w := needed(before.seed, all, program)
	if w == nil {
		return fmt.Sprintf("it needs all of its %d faults by chance", all)
	}
	if len(left) == 0 {
		return fmt.Sprintf("it fails without its %d faults by chance, too: %s=none", all, faultsVariable)
	}
	var words, numbers []string
	for _, n := range left {
		what := "one that it no longer meets"
		if n < len(w.chances) {
			what = w.chances[n]
		}
		words, numbers = append(words, what), append(numbers, strconv.Itoa(n))
	}
	return fmt.Sprintf("of its %d faults by chance these are enough, with %d steps in place of %d: %s (%s=%s)",
		all, len(w.Trace()), len(before.Trace()), strings.Join(words, "; "), faultsVariable, strings.Join(numbers, ","))
}
