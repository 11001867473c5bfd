package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestRPC: more clients than buffers, and each gets its own answers.
func TestRPC(t *testing.T) {
	for _, adapter := range []string{"soft", "soft-tcp"} {
		t.Run(adapter, func(t *testing.T) {
			var out bytes.Buffer
			args := []string{"-adapter", adapter, "-clients", "100", "-calls", "20"}
			if err := run(context.Background(), args, &out, io.Discard); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.String(), "2000 answers") {
				t.Errorf("%s", &out)
			}
		})
	}
}

// TestIPv6: the host may be an address of IPv6.
func TestIPv6(t *testing.T) {
	if err := run(t.Context(), []string{"-adapter", "soft-loop", "-host", "::1", "-clients", "2", "-calls", "10"}, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
}

func TestRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"-clients 0":       "more than 0",
		"more":             "no other arguments",
		"-adapter nothing": "nothing",
	} {
		err := run(context.Background(), strings.Fields(args), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("rpc %s: %v, want %q", args, err, want)
		}
	}
}
