package perf

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
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

// TestRateEndsWithArrival: the written data has arrived when the phase ends, also where
// completions come earlier.
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

// TestBlockingRateEndsWithArrival: a read tells that, where the end of Conn.Send does not.
func TestBlockingRateEndsWithArrival(t *testing.T) {
	for path, want := range map[string]uint64{"net": 1, "loop": 0} {
		a := opened(t, "-mode conn -op send -n 3 -path "+path)
		if err := a.tell(a.during("rate")); err != nil {
			t.Fatal(err)
		}
		n, took, err := a.rate(a.cfg.limit())
		if reads := a.conn.Stats().Ops[rdma.OpRead].Operations; n != 3 || took <= 0 || err != nil || reads != want {
			t.Errorf("%s: %d messages in %v, %v, and %d reads, want %d", path, n, took, err, reads, want)
		}
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

// TestSharedMemory measures what differs over shared memory: writes are polled for
// where they arrive, and a sleeper is compared with eventfds.
func TestSharedMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("shared memory between processes is made on Linux only")
	}
	check(t, perf(t, strings.Fields("-path shm -op write -n 60 -depth 4 -places 1 -json")...), "shm", "write", "poll", 4)
	for _, mode := range []string{"wait", "chan"} {
		var got struct{ Vs *ratio }
		out := perf(t, strings.Fields("-path shm -op send -vs raw -n 60 -rounds 2 -only latency -json -mode "+mode)...)
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		if v := got.Vs; v == nil || v.Rounds != 2 || v.Ours <= 0 || v.Theirs <= 0 || v.What != "send against a ping-pong of eventfds" {
			t.Errorf("%s: %+v", mode, v)
		}
	}
}

// TestPlaces: fewer places are fewer bytes of memory, and operations all the same.
func TestPlaces(t *testing.T) {
	for args, want := range map[string]string{
		"-path loop -op write -depth 4 -places 5": "-places 5",
		"-path loop -op read -depth 4 -places 2":  "-places 2",
		"-path shm -op send -vs raw":              "there is nothing raw",
	} {
		if _, err := parse(strings.Fields(args), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
	perf(t, strings.Fields("-path loop -op write -depth 4 -places 2 -n 100")...)
}

// TestPingsTogether: several operations are timed together, and the figure is of one.
func TestPingsTogether(t *testing.T) {
	a := opened(t, "-path loop -op read")
	h := newHistogram()
	if err := a.latency(limit{n: 3000}, 16, h); err != nil {
		t.Fatal(err)
	}
	if n := h.TotalCount(); n != (3000+15)/16 {
		t.Errorf("%d figures of 3000 operations, 16 together", n)
	}
}

// TestDigits: no ratio is rounded to nothing, as a polled ping-pong that waits for
// time slices makes of ours.
func TestDigits(t *testing.T) {
	for _, c := range []struct{ x, want float64 }{
		{1.23456, 1.235}, {12.3456, 12.35}, {0.000123456, 0.0001235}, {98765, 98770}, {1, 1}, {0, 0},
	} {
		if got := digits(c.x); math.Abs(got-c.want) > c.want*1e-9 {
			t.Errorf("digits(%v) is %v, want %v", c.x, got, c.want)
		}
	}
	if r := newRatio("", "", []float64{2000}, []float64{5e6}); r.Low <= 0 || r.Ratio <= 0 {
		t.Errorf("2 µs against 5 ms: %+v", r)
	}
}

// TestTypical: a clock that does not tick between begin and end makes no trip of 0.
func TestTypical(t *testing.T) {
	h := newHistogram()
	for range 3 {
		if err := h.RecordValue(0); err != nil {
			t.Fatal(err)
		}
	}
	if got := typical(h); got != 1 {
		t.Errorf("three trips of less than a nanosecond: %v", got)
	}
}

// TestRateLeavesNoMessage: messages left over from a rate phase would be answered in
// the next phase, and overflow its queue.
func TestRateLeavesNoMessage(t *testing.T) {
	a := opened(t, "-path net -op send -depth 64")
	p := a.peer.(*peerHere)
	for range 20 {
		if err := a.tell("take"); err != nil {
			t.Fatal(err)
		}
		if n, _, err := a.rate(limit{n: 100}); n != 100 || err != nil {
			t.Fatal(n, err)
		}
		if took, sent := p.all.Load(), a.streamed; took != sent {
			t.Errorf("%d messages, of which the other side has taken %d", sent, took)
		}
		if err := a.tell("echo"); err != nil {
			t.Fatal(err)
		}
		if err := a.latency(limit{n: 3}, 1, newHistogram()); err != nil {
			t.Fatal(err)
		}
	}
}
