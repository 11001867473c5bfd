package stock

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// The rules by which a run has passed. Exit codes say little: dapltest returns 0 after
// a failed validation, and dtest after printing that it has failed.

// trouble must not occur in any output.
var trouble = regexp.MustCompile(`Test Error|Validation Error|mismatch|(?i:error|fail)|Warning`)

// validation must not occur even in tests that end with errors.
var validation = regexp.MustCompile(`Test Error|Validation Error|mismatch|FAIL`)

// harmless output is allowed: the programs look up a name that does not exist, and use
// words with "error" in them that report no error.
var harmless = regexp.MustCompile(`getaddrinfo \(\) failed|Successful`)

// verdict returns why a run has not passed; "" if it has passed.
func verdict(outputs []string, wanted ...string) string {
	for i, out := range outputs {
		for line := range strings.Lines(out) {
			if trouble.MatchString(line) && !harmless.MatchString(line) {
				return fmt.Sprintf("output %d says: %s", i, strings.TrimSpace(line))
			}
		}
	}
	for _, w := range wanted {
		if !strings.Contains(outputs[0], w) {
			return fmt.Sprintf("output 0 lacks %q", w)
		}
	}
	return ""
}

// tail is the end of an output, for a report.
func tail(out string) string {
	const most = 1500
	return out[max(0, len(out)-most):]
}

// judged reports a client's run, with its server's output.
func judged(t *testing.T, c *process, server string, wanted ...string) {
	t.Helper()
	if err := c.wait(); err != nil {
		t.Errorf("%s: %v\n%s\nserver:\n%s", c.line, err, tail(c.out.from(0)), tail(server))
		return
	}
	if why := verdict([]string{c.out.from(0), server}, wanted...); why != "" {
		t.Errorf("%s: %s\n%s\nserver:\n%s", c.line, why, tail(c.out.from(0)), tail(server))
	}
}

// TestVerdict: failures of the programs are detected.
func TestVerdict(t *testing.T) {
	const good = "Total WQE : 100\nEnd of Work -- Client Exiting\n"
	for _, c := range []struct {
		client, server string
		passed         bool
	}{
		{good, "", true},
		{good, "getaddrinfo () failed for host\n", true},
		{"End of Work -- Client Exiting\n", "", false},
		{"Total WQE : 100\n", "", false},
		{good + "Validation Error: buffer\n", "", false},
		{good, "Test Error: wrong cookie\n", false},
		{good + "dat_ep_create fails: DAT_INVALID_HANDLE\n", "", false},
	} {
		why := verdict([]string{c.client, c.server}, "End of Work -- Client Exiting", "Total WQE")
		if (why == "") != c.passed {
			t.Errorf("%q and %q: %q", c.client, c.server, why)
		}
	}
}
