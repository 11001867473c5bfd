package perf

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// standIn makes this test binary available under a rival's name, as the only one: see
// playRival.
func standIn(t *testing.T, name, how string) (notes string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	notes = filepath.Join(dir, "notes")
	t.Setenv("PATH", dir)
	t.Setenv("PERF_STAND_IN", how)
	t.Setenv("PERF_NOTES", notes)
	return notes
}

// playRival is ucx_perftest as far as perf needs it. It notes how it was called.
func playRival(args []string) {
	f, err := os.OpenFile(os.Getenv("PERF_NOTES"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		fmt.Fprintln(f, os.Getenv("UCX_TLS"), strings.Join(args, " "))
		f.Close()
	}
	address := "127.0.0.1:" + args[slices.Index(args, "-p")+1]
	if args[0] == "-p" {
		if b, err := os.ReadFile(os.Getenv("PERF_NOTES")); os.Getenv("PERF_STAND_IN") == "is late" && err == nil && strings.Count(string(b), "tcp -p ") == 1 {
			fmt.Println("bind(): Address already in use")
			os.Exit(1)
		}
		if os.Getenv("PERF_STAND_IN") == "dies" {
			fmt.Println("no usable transports")
			os.Exit(3)
		}
		ln, err := net.Listen("tcp4", address)
		if err != nil {
			os.Exit(2)
		}
		if c, err := ln.Accept(); err == nil {
			io.Copy(io.Discard, c)
		}
		return
	}
	c, err := net.Dial("tcp4", address)
	if err != nil {
		fmt.Println("UCX  ERROR client failed. connect() failed: Connection refused")
		os.Exit(255)
	}
	defer c.Close()
	if os.Getenv("PERF_STAND_IN") == "fails" {
		fmt.Println("Failed to run test")
		os.Exit(255)
	}
	fmt.Print(ucxBandwidth)
}

// TestRival: the other program runs in turns with ours, both its sides have the path's
// environment, and the ratio uses its figures.
func TestRival(t *testing.T) {
	notes := standIn(t, "ucx_perftest", "works")
	for _, c := range []struct {
		args, test, unit string
		theirs           float64
	}{
		{"-op send -vs ucx", "-t tag_lat", "ns", 4449},
		{"-op send -only rate -vs ucx", "-t tag_bw", "ops/s", 8205},
		{"-op write -vs ucx -size 8192", "-t ucp_put_bw", "MB/s", 8205 * 8192 / 1e6},
		{"-op write -vs ucx:tag_bw -size 8192", "-t tag_bw", "MB/s", 8205 * 8192 / 1e6},
	} {
		os.Remove(notes)
		var got struct{ Vs *ratio }
		out := perf(t, strings.Fields("-path tcp -json -n 50 -rounds 2 "+c.args)...)
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		v := got.Vs
		if v == nil || v.Rounds != 2 || v.Ours <= 0 || v.Unit != c.unit || math.Abs(v.Theirs-c.theirs) > 0.01 ||
			v.Ratio < v.Low || v.Ratio > v.High || v.Low <= 0 {
			t.Errorf("%s: %+v", c.args, v)
		}
		b, err := os.ReadFile(notes)
		if err != nil {
			t.Fatal(err)
		}
		clients, servers := 0, 0
		for line := range strings.Lines(string(b)) {
			switch {
			case strings.HasPrefix(line, "tcp -p "):
				servers++
			case strings.HasPrefix(line, "tcp 127.0.0.1 ") && strings.Contains(line, c.test+"\n") && strings.Contains(line, "-n 50 "):
				clients++
			default:
				t.Errorf("%s: it was called so: %s", c.args, line)
			}
		}
		if servers != 2 || clients < 2 {
			t.Errorf("%s: %d servers, %d clients:\n%s", c.args, servers, clients, b)
		}
	}
}

// TestRivalTakesAnotherPort: the free port is taken by the time that it is used.
func TestRivalTakesAnotherPort(t *testing.T) {
	notes := standIn(t, "ucx_perftest", "is late")
	perf(t, strings.Fields("-path tcp -op send -n 5 -rounds 1 -vs ucx")...)
	b, err := os.ReadFile(notes)
	if servers := strings.Count(string(b), "tcp -p "); err != nil || servers != 2 {
		t.Errorf("%d servers, %v:\n%s", servers, err, b)
	}
}

// TestRivalFails: the error is reported, and nothing is measured.
func TestRivalFails(t *testing.T) {
	for how, want := range map[string]string{"dies": "no usable transports", "fails": "Failed to run test"} {
		standIn(t, "ucx_perftest", how)
		err := run(t.Context(), strings.Fields("-path tcp -op send -n 5 -rounds 1 -vs ucx"), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "ucx_perftest") {
			t.Errorf("%s: %v", how, err)
		}
	}
}

// TestRivalRefuses: impossible comparisons are refused before anything runs.
func TestRivalRefuses(t *testing.T) {
	standIn(t, "ucx_perftest", "works")
	for args, want := range map[string]string{
		"-path tcp -vs libfabric":                "libfabric-bin",
		"-path loop -vs ucx":                     "there is shm, tcp",
		"-path tcp -vs ucx:tag_jump":             `no test "tag_jump" of ucx_perftest: there are fadd, get`,
		"-path tcp -vs libfabric -op fadd":       "fi_pingpong has no test for the rate of -op fadd",
		"-path tcp -vs ucx:tag_bw -only latency": "leave -only latency out",
		"-path tcp -vs ucx -api dat":             "-vs native",
		"-path tcp -vs mpi":                      "and libfabric, perftest, ucx",
		"-path tcp -vs ucx -peer here:1":         "leave -peer out",
		"-path tcp -vs perftest":                 "nothing of perftest to compare -path tcp with: there is verbs",
		"-path verbs:rxe0 -vs perftest":          "ib_write_bw, which is not there (Debian's package is perftest)",
		"-path verbs:rxe0 -vs perftest:ib_x_lat": `no test "ib_x_lat" of perftest: there are ib_atomic_bw`,
		"-path verbs:rxe0 -vs ucx":               "there is shm, tcp",
	} {
		if _, err := parse(strings.Fields(args), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

// TestPerftestArgs: both sides of perftest get the device and its port, and the size
// unless there is only one.
func TestPerftestArgs(t *testing.T) {
	r := race{port: 4711, size: 64, n: 1000, device: "mlx5_0:2", address: "10.0.0.1"}
	if got, want := strings.Join(perftest.client(r), " "), "-R -F -d mlx5_0 -p 4711 -n 1000 -i 2 -s 64 10.0.0.1"; got != want {
		t.Errorf("client %q, want %q", got, want)
	}
	r.device, r.n, r.trial = "rxe0", 1, perftest.tests["ib_atomic_lat"]
	if got, want := strings.Join(perftest.server(r), " "), "-R -F -d rxe0 -p 4711 -n 5"; got != want {
		t.Errorf("server %q, want %q", got, want)
	}
}

// TestRivals runs the programs themselves, where they are installed.
func TestRivals(t *testing.T) {
	for name, r := range rivals {
		if r.paths["tcp"].args == nil && r.paths["tcp"].env == nil {
			continue // needs a device
		}
		for _, args := range []string{"-op send", "-op write -size 100000"} {
			t.Run(name+" "+args, func(t *testing.T) {
				if _, err := exec.LookPath(r.program); err != nil {
					t.Skipf("%s is not installed, Debian has it in %s", r.program, r.debian)
				}
				var got struct{ Vs *ratio }
				out := perf(t, strings.Fields("-path tcp -json -n 100 -rounds 1 -vs "+name+" "+args)...)
				if err := json.Unmarshal([]byte(out), &got); err != nil || got.Vs == nil || got.Vs.Theirs <= 0 {
					t.Errorf("%v: %s", err, out)
				}
			})
		}
	}
}

func TestRatio(t *testing.T) {
	got := newRatio("this", "ns", []float64{1, 20, 3}, []float64{2, 10, 12})
	want := ratio{What: "this", Unit: "ns", Ours: 3, Theirs: 10, Ratio: 0.5, Low: 0.25, High: 2, Rounds: 3}
	if *got != want {
		t.Errorf("%+v, want %+v", *got, want)
	}
}
