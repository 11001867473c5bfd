package main

import (
	"bytes"
	"net"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestBothSides(t *testing.T) {
	for _, ia := range []string{"soft", "soft-loop", "soft-tcp"} {
		for _, mode := range []string{"poll", "wait", "threshold"} {
			t.Run(ia+"/"+mode, func(t *testing.T) {
				l, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					t.Fatal(err)
				}
				port := l.Addr().(*net.TCPAddr).Port
				l.Close()
				var out bytes.Buffer
				if err := run([]string{"-ia", ia, "-m", mode, "-q", strconv.Itoa(port), "-n", "30", "-b", "512"}, &out); err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(out.String(), "30 messages of 512 bytes over "+ia) {
					t.Errorf("it printed %q", &out)
				}
			})
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, args := range []string{"-ia nothing", "-ia soft-loop -n 1 server", "-m sleep", "-b 4", "-s -h 127.0.0.1", "-h 224.0.0.1 -ia soft-loop"} {
		if err := run(strings.Fields(args), new(bytes.Buffer)); err == nil {
			t.Errorf("%s was taken", args)
		}
	}
}

// TestNobodyThere: the number of the event alone would tell few people what to do.
func TestNobodyThere(t *testing.T) {
	err := run(strings.Fields("-ia soft-tcp -h 127.0.0.1 -q 1"), new(bytes.Buffer))
	if err == nil || !strings.Contains(err.Error(), "is a server running") {
		t.Error(err)
	}
}
