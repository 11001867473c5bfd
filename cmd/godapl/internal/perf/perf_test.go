package perf

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// facesOfQueues are the modes that take completions from queues.
var facesOfQueues = modes[:5]

// TestMeasures runs everything that can be asked for, for a moment.
func TestMeasures(t *testing.T) {
	for _, path := range []string{"loop", "net", "tcp"} {
		for _, op := range []string{"send", "write", "read", "fadd"} {
			for i, mode := range facesOfQueues {
				if path == "tcp" && i != slices.Index([]string{"send", "write", "read", "fadd"}, op) {
					continue // each once: starting processes takes long
				}
				t.Run(path+"/"+op+"/"+mode, func(t *testing.T) {
					check(t, perf(t, "-path", path, "-op", op, "-mode", mode, "-n", "60", "-depth", "4", "-json"), path, op, mode, 4)
				})
			}
		}
	}
}

// check parses the output, which must be one complete object.
func check(t *testing.T, out, path, op, mode string, depth float64) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(out))
	got := map[string]any{}
	if err := dec.Decode(&got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := dec.Decode(new(any)); err != io.EOF {
		t.Errorf("more than one object: %s", out)
	}
	for key, want := range map[string]any{
		"path": path, "op": op, "size": 8.0, "mode": mode, "depth": depth, "api": "native", "ops": 60.0, "errors": 0.0,
	} {
		if got[key] != want {
			t.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
	for _, key := range []string{"lat_p50_ns", "lat_p99_ns", "ops_per_s", "bytes_per_s"} {
		if x, ok := got[key].(float64); !ok || x <= 0 {
			t.Errorf("%s is %v", key, got[key])
		}
	}
	for _, key := range []string{"lat_cpu_ns", "lat_switches", "cpu_ns_per_op", "switches_per_op", "allocs_per_op"} {
		if x, ok := got[key].(float64); !ok || x < 0 {
			t.Errorf("%s is %v", key, got[key])
		}
	}
	if x, y := got["ops_per_s"].(float64)*8, got["bytes_per_s"].(float64); math.Abs(x-y) > 8 {
		t.Errorf("%v bytes/s, but 8 times the operations are %v", y, x)
	}
	if got["lat_p50_ns"].(float64) > got["lat_p99_ns"].(float64) {
		t.Errorf("half of the operations took longer than 99 of 100: %s", out)
	}
	if len(got) != 17 {
		t.Errorf("%d fields, want 17: %s", len(got), out)
	}
}

func TestManyEndpoints(t *testing.T) {
	for _, path := range []string{"loop", "net"} {
		for _, op := range []string{"send", "write", "read"} {
			check(t, perf(t, "-path", path, "-op", op, "-endpoints", "20", "-n", "60", "-depth", "30", "-json"), path, op, "poll", 30)
		}
	}
}

func TestSlices(t *testing.T) {
	for _, op := range []string{"send", "write", "read", "fadd"} {
		check(t, perf(t, "-path", "net", "-op", op, "-slices", "-n", "60", "-depth", "4", "-json"), "net", op, "poll", 4)
	}
}

func TestDuration(t *testing.T) {
	out := perf(t, "-duration", "20ms", "-size", "100000")
	for _, part := range []string{"latency", "one way", "p99.9", "rate", "bandwidth", "errors"} {
		if !strings.Contains(out, part) {
			t.Errorf("the table lacks %q:\n%s", part, out)
		}
	}
}

func TestOnePhase(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cpu")
	for _, phase := range []string{"latency", "rate"} {
		var got result
		out := perf(t, "-path", "tcp", "-op", "send", "-only", phase, "-n", "20", "-json", "-cpuprofile", file)
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		if (got.LatP50 > 0) != (phase == "latency") || (got.Ops > 0) != (phase == "rate") {
			t.Errorf("-only %s measured %s", phase, out)
		}
		for _, name := range []string{file, file + ".peer"} {
			if info, err := os.Stat(name); err != nil || info.Size() == 0 {
				t.Errorf("the profile %s: %v", name, err)
			}
			os.Remove(name)
		}
	}
}

func TestCompares(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-path tcp -op send -mode wait -vs raw", "ping-pong of net.Conn"},
		{"-path tcp -op write -size 10000 -vs raw", "stream of net.Conn"},
		{"-path loop -op write -size 10000 -vs raw", "copy"},
		{"-path loop -op send -endpoints 3 -vs one", "3 endpoints against one"},
	} {
		out := perf(t, append(strings.Fields(c.args), "-n", "20", "-rounds", "2")...)
		if !strings.Contains(out, c.want) || !strings.Contains(out, "ratio") {
			t.Errorf("%s: the table lacks %q:\n%s", c.args, c.want, out)
		}
	}
	if !rawPolls {
		return
	}
	if out := perf(t, strings.Fields("-path tcp -op write -size 10000 -vs polled -n 20 -rounds 2")...); !strings.Contains(out, "bare polled stream") {
		t.Errorf("the table lacks what it was compared with:\n%s", out)
	}
	var got struct{ Vs *ratio }
	if err := json.Unmarshal([]byte(perf(t, strings.Fields("-path tcp -op send -vs raw -json -n 20 -rounds 3")...)), &got); err != nil {
		t.Fatal(err)
	}
	if v := got.Vs; v == nil || v.Rounds != 3 || v.Ours <= 0 || v.Theirs <= 0 || v.Low <= 0 || v.Ratio < v.Low || v.Ratio > v.High {
		t.Errorf("the comparison is %+v", v)
	}
}

func TestRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"-path ship":                  `no path "ship": there are loop`,
		"-op jump":                    `no operation "jump": there are fadd, read`,
		"-mode asleep":                `no mode "asleep"`,
		"-only this":                  `no phase "this"`,
		"-cpuprofile /none/x":         "/none/x",
		"-api c":                      `no API "c"`,
		"-size 0":                     "at least a byte",
		"-size 9999999999":            "the adapter takes",
		"-op fadd -size 4":            "8 bytes",
		"-depth 0":                    "more than 0",
		"-endpoints -1":               "more than 0",
		"-duration 0s":                "more than 0",
		"-depth 4 -list 5":            "from 1 to -depth",
		"-vs them":                    `no comparison "them": there are raw, polled, one and native, eventfd, net`,
		"-vs one":                     "several -endpoints",
		"-vs raw -op read":            "nothing raw",
		"-vs polled -op read":         "is for -path tcp -op write",
		"-vs raw -op send -path loop": "nothing raw",
		"8":                           "takes no argument",
		"-size x":                     "invalid value",
	} {
		var out bytes.Buffer
		err := run(context.Background(), strings.Fields(args), &out, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("perf %s: %v, want %q", args, err, want)
		}
		if out.Len() > 0 {
			t.Errorf("perf %s printed %s", args, &out)
		}
	}
}
