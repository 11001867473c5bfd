package stock

import (
	"regexp"
	"strings"
	"testing"
)

// limits are -T L: so many objects of each kind, in several adapters at once.
func (h *host) limits(t *testing.T, p path) {
	kinds := []string{"ia", "pz", "cno", "evd", "ep", "rsp", "psp", "lmr", "rpost", "size_lmr"}
	if testing.Short() {
		kinds = nil // "all" has them, too
	}
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			c := h.start(t, "dapltest", "-T", "L", "-D", p.name, "-w", "8", "-m", "100", "limit_"+kind)
			out := reached(t, c)
			if !counted.MatchString(out) {
				t.Errorf("%s counted nothing\n%s", c.line, tail(out))
			}
		})
	}
	t.Run("all", func(t *testing.T) {
		const kinds = 10
		c := h.start(t, "dapltest", "-T", "L", "-D", p.name, "-d", "-w", "8", "-m", "137")
		out := reached(t, c)
		if n := strings.Count(out, "Limit Testing Completed - Successfully"); n != kinds || none.MatchString(out) {
			t.Errorf("%d of %d completed\n%s", n, kinds, tail(c.out.from(0)))
		}
	})
}

// counted matches the lines in which these tests report how many objects they have made.
// Posting receives ends with an error when the queue is full; making regions ends with an
// error when memory is exhausted.
var counted = regexp.MustCompile(`s (created|opened): [1-9]|posted per EP: [1-9]|OK - stopping now|Largest LMR was 0x[1-9]`)

// none matches the lines for no object at all.
var none = regexp.MustCompile(`s (created|opened): 0|posted per EP: 0`)

// reached waits for the end of a test of limits, and returns its output.
func reached(t *testing.T, c *process) string {
	t.Helper()
	err := c.wait()
	out := c.out.from(0)
	if err != nil || strings.Contains(out, "can not continue") || validation.MatchString(out) {
		t.Errorf("%s: %v\n%s", c.line, err, tail(out))
	}
	return out
}

// features are -T F, with the number of cases of each that pass. Two cases of queryinfo, 13
// and 15, make libdat2 itself crash with any provider; case 5 queries nothing.
func (h *host) features(t *testing.T, p path) {
	for _, f := range []struct {
		name   string
		cases  string
		passes int
	}{
		{"hwconn", "", 4}, {"endpoint", "", 3}, {"pz", "", 3}, {"mem", "", 5}, {"connmgt", "", 2},
		{"queryinfo", "case0 case1 case2 case3 case4 case5 case6 case7 case8 case9 case10 case11 case12 case14 case16 case17", 15},
	} {
		t.Run(f.name, func(t *testing.T) {
			c := h.start(t, "dapltest", append([]string{"-T", "F", "-D", p.name, "-f", f.name}, strings.Fields(f.cases)...)...)
			if err := c.wait(); err != nil {
				t.Fatalf("%s: %v\n%s", c.line, err, tail(c.out.from(0)))
			}
			if n := strings.Count(c.out.from(0), "Result: PASS"); n != f.passes {
				t.Errorf("%s: %d of %d cases pass\n%s", c.line, n, f.passes, tail(c.out.from(0)))
			}
			if strings.Contains(c.out.from(0), "Result: FAIL") {
				t.Errorf("%s: a case fails\n%s", c.line, tail(c.out.from(0)))
			}
		})
	}
}
