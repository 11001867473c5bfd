package perf

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// TestTLS: both sides use TLS, and so does what they are compared with; the faces stay as they are.
func TestTLS(t *testing.T) {
	for _, args := range []string{
		"-op send -mode wait -vs net", "-op send -mode chan -vs netchan", "-op send -mode conn -vs raw",
		"-op write -size 100000 -depth 2 -vs raw", "-op send -connections 3",
	} {
		var got struct {
			Ops, Errors int64
			TLS         bool
			Vs          *ratio
		}
		all := strings.Fields("-path tcp -tls -json -n 20 -rounds 2 " + args)
		if err := json.Unmarshal([]byte(perf(t, all...)), &got); err != nil {
			t.Fatal(args, err)
		}
		if !got.TLS || got.Ops == 0 || got.Errors > 0 {
			t.Errorf("%s: %+v", args, got)
		}
		if v := got.Vs; strings.Contains(args, "-vs") && (v == nil || v.Theirs <= 0 || !strings.HasSuffix(v.What, "both with TLS")) {
			t.Errorf("%s: compared with %+v", args, v)
		}
	}
	if out := perf(t, strings.Fields("-path tcp -tls -op send -n 20")...); !strings.Contains(out, "tcp with TLS") {
		t.Errorf("the table is\n%s", out)
	}
}

// TestTLSIsUsed: without the other side's certificate there is no connection.
func TestTLSIsUsed(t *testing.T) {
	c := &config{Path: "tcp", Op: "send", Mode: "wait", Size: 8, Depth: 1, Endpoints: 1, Rounds: 1, Duration: 1, N: 1, TLS: true, API: "native"}
	if err := c.check(); err != nil {
		t.Fatal(err)
	}
	if err := c.certify(); err != nil {
		t.Fatal(err)
	}
	p, err := openPassive(t.Context(), c, true)
	if err != nil {
		t.Fatal(err)
	}
	other := *c
	other.Certificate = nil
	if err := other.certify(); err != nil {
		t.Fatal(err)
	}
	if a, err := openActive(t.Context(), &other, &peerHere{t.Context(), p}, p.ln.Addr().String()); err == nil || !strings.Contains(err.Error(), "TLS") {
		t.Errorf("connected: %v, %v", a, err)
	}
	if err := p.close(); err != nil {
		t.Error(err)
	}
}

func TestTLSRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"-tls":                                           "-tls is for -path tcp, not loop",
		"-tls -path shm":                                 "not shm",
		"-tls -path verbs:x":                             "not verbs:x",
		"-tls -path tcp -api dat":                        "without -api dat",
		"-tls -path tcp -op send -vs raw":                "does not poll",
		"-tls -path tcp -op write -vs polled":            "has no TLS",
		"-tls -path tcp -op send -vs unix":               "has no TLS",
		"-tls -path tcp -op send -vs net -connections 2": "has no TLS",
	} {
		if err := run(context.Background(), strings.Fields(args), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("perf %s: %v, want %q", args, err, want)
		}
	}
}
