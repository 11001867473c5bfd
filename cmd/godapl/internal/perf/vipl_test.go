package perf

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
)

func TestVipl(t *testing.T) {
	for _, path := range []string{"loop", "net"} {
		for _, op := range []string{"send", "write", "read"} {
			for _, mode := range []string{"poll", "wait"} {
				t.Run(path+"/"+op+"/"+mode, func(t *testing.T) {
					var got map[string]any
					out := perf(t, "-path", path, "-api", "vipl", "-op", op, "-mode", mode, "-n", "60", "-depth", "4", "-json")
					if err := json.Unmarshal([]byte(out), &got); err != nil {
						t.Fatalf("%v: %s", err, out)
					}
					if got["api"] != "vipl" || got["ops"] != 60.0 || got["errors"] != 0.0 || got["lat_p50_ns"].(float64) <= 0 {
						t.Errorf("%s", out)
					}
				})
			}
		}
	}
	out := perf(t, "-api", "vipl", "-n", "60", "-vs", "native", "-rounds", "1", "-only", "rate")
	if !strings.Contains(out, "VIPL's calls against native ones") {
		t.Errorf("no comparison:\n%s", out)
	}
	perf(t, "-path", "tcp", "-api", "vipl", "-op", "write", "-n", "20") // with a second process
}

// TestViplMoves: what the calls of VIPL write arrives in the other side's memory, from the
// place that each operation has.
func TestViplMoves(t *testing.T) {
	a := opened(t, "-api vipl -op write -size 100 -depth 3")
	v, theirs := a.compat.(*viplSide), a.peer.(*peerHere).shared.Bytes()[:3*128]
	for i := range v.memory.own {
		v.memory.own[i] = byte(i) ^ 0x5a
	}
	if n, _, err := a.rate(limit{n: 10}); n != 10 || err != nil {
		t.Fatal(n, err)
	}
	for i, b := range theirs {
		if at := i % a.cfg.stride(); at < 100 && b != byte(i)^0x5a {
			t.Fatalf("byte %d is %#x, want %#x", i, b, byte(i)^0x5a)
		}
	}
}

func TestViplAllocates(t *testing.T) {
	if raceDetector {
		t.Skip("with the race detector, pools drop a part of what they keep")
	}
	a := opened(t, "-api vipl -op write")
	rate := func() error { _, _, err := a.rate(limit{n: 2000}); return err }
	if err := rate(); err != nil {
		t.Fatal(err)
	}
	used, err := using(a.peer, command{Do: "idle"}, rate)
	if err != nil || used.Mallocs > fewAllocations {
		t.Errorf("%d allocations for 2000 writes, %v", used.Mallocs, err)
	}
}

func TestViplRefuses(t *testing.T) {
	for _, args := range []string{
		"-api vipl -op fadd", "-api vipl -mode chan", "-api vipl -take 2", "-api vipl -endpoints 2", "-api vipl -vs raw", "-api vipl -connections 2 -op send",
	} {
		if _, err := parse(strings.Fields(args), io.Discard); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}
