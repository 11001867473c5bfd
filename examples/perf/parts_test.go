package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func opened(t *testing.T, args string) *active {
	t.Helper()
	cfg, err := parse(strings.Fields(args), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	a, err := open(context.Background(), cfg, io.Discard) // t's ends before its cleanups
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// TestRateEndsWithArrival: what was written has arrived when the phase is over,
// also where completions come earlier.
func TestRateEndsWithArrival(t *testing.T) {
	a := opened(t, "-path net -op write -size 8000000 -n 1")
	theirs := a.peer.(*peerHere).shared.Bytes()
	for i := range theirs {
		theirs[i] = 0
	}
	if err := a.tell(a.during("rate")); err != nil {
		t.Fatal(err)
	}
	a.own.Bytes()[7999999] = 99
	n, took, err := a.rate(a.cfg.limit())
	if last := theirs[7999999]; n != 1 || took <= 0 || err != nil || last != 99 {
		t.Errorf("%d writes in %v, %v; the last byte is %d, want 99", n, took, err, last)
	}
}

// TestWhatThePeerDoes: it polls and answers when it is to, and only then.
func TestWhatThePeerDoes(t *testing.T) {
	a := opened(t, "-path net -op send")
	p := a.peer.(*peerHere)
	for _, c := range []struct {
		do          string
		echo, pause bool
	}{{"echo", true, false}, {"take", false, false}, {"idle", false, true}, {"poll", false, false}} {
		if err := a.tell(c.do); err != nil {
			t.Error(err)
		}
		if p.echo.Load() != c.echo || p.pause.Load() != c.pause {
			t.Errorf("%s: echo %v, pause %v", c.do, p.echo.Load(), p.pause.Load())
		}
	}
	if err := a.tell("dance"); err == nil {
		t.Error("it does what nobody knows")
	}
	for phase, want := range map[string]string{"latency": "echo", "rate": "take"} {
		if got := a.during(phase); got != want {
			t.Errorf("during %s it does %s, want %s", phase, got, want)
		}
	}
}

func TestTurns(t *testing.T) {
	order := ""
	c := contest{
		ours:   func() (float64, error) { order += "o"; return 1, nil },
		theirs: func() (float64, error) { order += "t"; return 2, nil },
	}
	ours, theirs, err := c.turns(3)
	if !slices.Equal(ours, []float64{1, 1, 1}) || !slices.Equal(theirs, []float64{2, 2, 2}) || err != nil || order != "ottoot" {
		t.Error(ours, theirs, err, order)
	}
	c.theirs = func() (float64, error) { return 0, errors.New("broken") }
	if _, _, err := c.turns(2); err == nil {
		t.Error("an error is lost")
	}
}

func TestMedian(t *testing.T) {
	if x, y := median([]float64{5, 1, 3}), median([]float64{4, 1, 3, 2}); x != 3 || y != 2.5 {
		t.Error(x, y)
	}
}
