package perf

import (
	"encoding/json"
	"io"
	"runtime"
	"strings"
	"testing"
)

// compared runs a comparison, and returns it.
func compared(t *testing.T, args string) *ratio {
	t.Helper()
	var got struct{ Vs *ratio }
	out := perf(t, append(strings.Fields(args), "-op", "send", "-json", "-rounds", "2")...)
	if err := json.Unmarshal([]byte(out), &got); err != nil || got.Vs == nil {
		t.Fatalf("%s: %v: %s", args, err, out)
	}
	return got.Vs
}

// TestServices compares each face with what a service would use else, and counts what
// both use.
func TestServices(t *testing.T) {
	for i, mode := range modes {
		vs := []string{"net", "netchan", "unix"}[i%3]
		t.Run(mode+"/"+vs, func(t *testing.T) {
			v := compared(t, "-path net -n 40 -mode "+mode+" -vs "+vs)
			if v.Rounds != 2 || v.Ours <= 0 || v.Theirs <= 0 || v.What != "a message against "+plains[vs].what {
				t.Errorf("%+v", v)
			}
			for _, p := range []part{v.Here, v.There} {
				if p.P50 <= 0 || p.P99 < p.P50 || p.CPU < 0 || p.Switches < 0 {
					t.Errorf("%+v", p)
				}
			}
			if v.P50Ratio <= 0 || v.P99Ratio <= 0 {
				t.Errorf("%+v", v.Parts)
			}
		})
	}
}

// TestEvents compares with a copy through shared memory: what comes back is what went.
func TestEvents(t *testing.T) {
	if !hasEvents {
		t.Skip("no eventfds on this system")
	}
	if v := compared(t, "-path shm -n 40 -size 5000 -mode wait -vs eventfd"); v.What != "a message against eventfds and shared memory" || v.There.P50 <= 0 {
		t.Errorf("%+v", v)
	}
	a := opened(t, "-path tcp -op send -size 100 -mode wait -vs eventfd")
	p, err := a.openEvents("eventfd")
	if err != nil {
		t.Fatal(err)
	}
	e := p.(eventPing)
	for i := range byte(10) {
		for j := range e.message {
			e.message[j] = i + byte(j)
		}
		want := string(e.message)
		if err := e.wake(); err != nil {
			t.Fatal(err)
		}
		clear(e.message)
		if err := e.sleep(); err != nil || string(e.message) != want {
			t.Fatalf("% x came back, %v", e.message, err)
		}
	}
}

// TestUsageOfBothSides: sides that sleep switch, in both processes, and use time.
func TestUsageOfBothSides(t *testing.T) {
	if cpu, _ := systemUsage(); cpu == 0 {
		t.Skip("this system does not count")
	}
	v := compared(t, "-path tcp -n 300 -mode wait -burst -1 -vs net -only latency")
	for _, p := range []part{v.Here, v.There} {
		if p.CPU <= 0 || p.Switches <= 0 {
			t.Errorf("%+v", p)
		}
	}
	out := perf(t, strings.Fields("-path tcp -op send -n 40 -mode wait -vs net -rounds 1")...)
	for _, column := range []string{"cpu, both sides", "switches", "each", "theirs"} {
		if !strings.Contains(out, column) {
			t.Errorf("the table lacks %q:\n%s", column, out)
		}
	}
}

// TestUsageOfTheMeasurement is not counted.
func TestUsageOfTheMeasurement(t *testing.T) {
	a := opened(t, "-path net -op send -mode wait")
	used, err := using(a.peer, command{Do: "idle"}, func() error { return nil })
	if err != nil || used.CPU > 5e6 {
		t.Errorf("nothing takes %+v, %v", used, err)
	}
}

func TestConnRate(t *testing.T) {
	check(t, perf(t, strings.Fields("-path tcp -op send -mode conn -n 60 -json")...), "tcp", "send", "conn", 1)
}

// TestCPUs: the processes that measure are on one processor, and their runtimes know it.
func TestCPUs(t *testing.T) {
	if !restricts {
		t.Skip("no way to choose processors on this system")
	}
	check(t, perf(t, strings.Fields("-path tcp -op send -mode wait -n 60 -depth 4 -cpus 1 -json")...), "tcp", "send", "wait", 4)
	wantError(t, "on 1 processors", "-cpus", "1", "-timeout", "1ns")
}

func TestLoad(t *testing.T) {
	check(t, perf(t, strings.Fields("-path net -op send -mode wait -n 60 -depth 4 -load 2 -json")...), "net", "send", "wait", 4)
	l, err := startLoads(t.Context(), 1, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.running) != 1 || l.running[0].Process.Pid <= 0 {
		t.Error("no process")
	}
	if err := l.stop(); err != nil {
		t.Error(err)
	}
}

func TestServicesRefuse(t *testing.T) {
	for args, want := range map[string]string{
		"-op write -mode conn":                 "Conn.Send and Conn.Recv",
		"-op send -mode conn -depth 4":         "one after the other",
		"-op send -mode conn -api dat":         "-api dat has modes",
		"-op write -vs net":                    "compares messages: -op send",
		"-op send -vs netchan -only rate":      "leave -only rate out",
		"-op send -vs net -endpoints 2":        "leave -endpoints out",
		"-path tcp -op send -vs net -peer x:1": "leave -peer out",
		"-op send -vs net -api dat":            "-vs native",
		"-op send -vs eventfd":                 "between two processes",
		"-load -1":                             "not be negative",
		"-cpus 100000":                         "-cpus 100000: there are",
	} {
		if _, err := parse(strings.Fields(args), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
	if runtime.GOOS == "linux" && !restricts {
		t.Error("Linux can")
	}
}

// TestSetKeeps: what arrives in the other queue of a set is kept for its own turn.
func TestSetKeeps(t *testing.T) {
	a := opened(t, "-path net -op send -mode set -depth 8")
	if err := a.tell("echo"); err != nil {
		t.Fatal(err)
	}
	for range 3 { // a completion of ours, and an answer
		if err := a.lists.post("send", a.endpoints[0], 0); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < 1; {
			cs, err := a.completions(a.came)
			if err != nil {
				t.Fatal(err)
			}
			n += len(cs)
		}
	}
	for n := 0; n < 3; {
		cs, err := a.completions(a.done)
		if err != nil {
			t.Fatal(err)
		}
		n += len(cs)
	}
}
