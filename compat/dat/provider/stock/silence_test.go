package stock

import (
	"context"
	"os/exec"
	"testing"
	"time"
)

// TestSilence: a program that prints nothing is ended, and the error says so.
func TestSilence(t *testing.T) {
	if _, err := exec.LookPath("stdbuf"); err != nil {
		t.Skip("no stdbuf, with which programs are run here: ", err)
	}
	h := &host{}
	if err := h.startFor(t, time.Millisecond, "sleep", "1000").wait(); err != context.DeadlineExceeded {
		t.Errorf("a silent program ended with %v", err)
	}
	if err := h.start(t, "true").wait(); err != nil {
		t.Errorf("one that ends by itself: %v", err)
	}
	if err := h.start(t, "false").wait(); err == nil || err == context.DeadlineExceeded {
		t.Errorf("one that fails: %v", err)
	}
}
