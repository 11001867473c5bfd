package perf

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// calling returns connected clients whose server answers; end closes both.
func calling(t *testing.T, args string) (c *clients, end func()) {
	t.Helper()
	cfg, err := parse(strings.Fields(args), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = openClients(t.Context(), cfg, io.Discard); err != nil {
		t.Fatal(err)
	}
	if _, err := c.tell("echo"); err != nil {
		t.Error(err)
	}
	return c, func() {
		if err := c.close(); err != nil {
			t.Error(err)
		}
	}
}

// TestCalls has few calls by each face, between processes and within one.
func TestCalls(t *testing.T) {
	for i, mode := range facesOfQueues {
		for _, path := range []string{"net", "tcp"} {
			vs := []string{"net", "unix"}[i%2]
			t.Run(path+"/"+mode, func(t *testing.T) {
				var got result
				out := perf(t, strings.Fields("-op send -size 64 -connections 5 -depth 3 -n 200 -rounds 2 -json -path "+path+" -mode "+mode+" -vs "+vs)...)
				if err := json.Unmarshal([]byte(out), &got); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				if got.Connections != 5 || got.Depth != 3 || got.Ops != 200 || got.Errors != 0 || got.OpsPerS <= 0 || got.LatP50 <= 0 || got.LatP99 < got.LatP50 {
					t.Errorf("%s", out)
				}
				if v := got.Vs; v == nil || v.Unit != "calls/s" || v.Rounds != 2 || v.Ratio <= 0 || v.Here.P50 <= 0 || v.There.P50 <= 0 {
					t.Errorf("%s", out)
				}
			})
		}
	}
}

// TestLoops: the clients share goroutines, evenly.
func TestLoops(t *testing.T) {
	var got result
	out := perf(t, strings.Fields("-path net -op send -mode wait -connections 7 -loops 3 -depth 2 -n 300 -json")...)
	if err := json.Unmarshal([]byte(out), &got); err != nil || got.Ops != 300 || got.Errors != 0 {
		t.Errorf("%v: %s", err, out)
	}
	out = perf(t, strings.Fields("-path net -op send -mode chan -connections 3 -duration 20ms")...)
	for _, part := range []string{"call ", "switches", "cpu, both sides"} {
		if !strings.Contains(out, part) {
			t.Errorf("the table lacks %q:\n%s", part, out)
		}
	}
}

func TestCallsRefuse(t *testing.T) {
	for args, want := range map[string]string{
		"-loops 2":                                            "goes with -connections",
		"-op send -connections -1":                            "more than 0",
		"-op send -connections 2 -loops 3":                    "from 1 to -connections",
		"-op send -connections 2 -mode conn":                  "no shared receive queue",
		"-op write -connections 2":                            "-op send",
		"-op send -connections 2 -only latency":               "goes without -api, -only",
		"-op send -connections 2 -endpoints 2":                "goes without -api, -only",
		"-op send -connections 2 -vs netchan":                 "there are net and unix",
		"-op send -connections 2 -vs raw":                     "there are net and unix",
		"-path tcp -op send -connections 2 -vs net -peer x:1": "leave -peer out",
	} {
		if _, err := parse(strings.Fields(args), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

// TestCallsTimeout: calls that take too long end with an error that names the cause.
func TestCallsTimeout(t *testing.T) {
	late := errors.New("too late")
	for _, mode := range facesOfQueues {
		cfg, err := parse(strings.Fields("-path net -op send -connections 3 -duration 1h -mode "+mode), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		timer := time.AfterFunc(20*time.Millisecond, func() { cancel(late) })
		res, err := measureCalls(ctx, cfg, io.Discard)
		timer.Stop()
		if !errors.Is(err, late) || res != nil && res.Errors == 0 {
			t.Errorf("%s: %v", mode, err)
		}
	}
}

// TestTimesAreKept: also those of calls that wait for minutes behind many others.
func TestTimesAreKept(t *testing.T) {
	var x times
	x.add(0)
	x.add(10 * time.Minute)
	h := newHistogram()
	if err := x.addTo(h); err != nil || h.Min() != 1 || h.Max() < int64(10*time.Minute) {
		t.Error(err, h.Min(), h.Max())
	}
}

// TestCallsAreAsManyAsAsked: -n is shared by the clients without a rest, also if there are more clients.
func TestCallsAreAsManyAsAsked(t *testing.T) {
	for _, n := range []int64{1, 3, 7, 8, 100, math.MaxInt64} {
		var made atomic.Int64
		c := calls{clients: 7, run: func(_ int, l limit, _ *times) error {
			if l.n == 0 {
				t.Error("a client has no limit")
			}
			made.Add(l.n)
			return nil
		}}
		if _, err := c.all(limit{n: n}, newHistogram()); err != nil || made.Load() != n {
			t.Errorf("-n %d: %d calls, %v", n, made.Load(), err)
		}
		made.Store(0)
		if err := c.warm(limit{n: n}); err != nil || made.Load() < 7 {
			t.Errorf("-n %d: %d calls to warm up, %v", n, made.Load(), err)
		}
	}
	if got := perf(t, strings.Fields("-path loop -op send -mode wait -connections 7 -n 100 -json")...); !strings.Contains(got, `"ops":100,`) {
		t.Error(got)
	}
}
