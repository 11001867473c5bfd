package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/godapl/godapl/rdma"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestLog: run fails unless all replicas have what the leader has appended.
func TestLog(t *testing.T) {
	for _, adapter := range []string{"soft", "soft-tcp"} {
		t.Run(adapter, func(t *testing.T) {
			var out bytes.Buffer
			if err := run(context.Background(), []string{"-adapter", adapter, "-entries", "500"}, &out, io.Discard); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.String(), "500 entries") {
				t.Errorf("%s", &out)
			}
		})
	}
}

// TestIPv6: the host may be an address of IPv6.
func TestIPv6(t *testing.T) {
	if err := run(t.Context(), []string{"-adapter", "soft-loop", "-host", "::1", "-entries", "10"}, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
}

// TestMajority: the log goes on without one replica of three, and stops without two.
func TestMajority(t *testing.T) {
	ctx := t.Context()
	adapter, err := rdma.Open(ctx, "soft", rdma.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer adapter.Close()
	var replicas []*replica
	var addresses []string
	for range 3 {
		r, err := start(ctx, adapter, "127.0.0.1:0", func([]byte) {})
		if err != nil {
			t.Fatal(err)
		}
		replicas, addresses = append(replicas, r), append(addresses, r.addr())
	}
	l, err := dial(ctx, adapter, addresses)
	if err != nil {
		t.Fatal(err)
	}
	entry := []byte("entry")
	for n := range 3 {
		err := l.append(ctx, entry)
		if err == nil {
			err = l.commit(ctx)
		}
		if n < 2 && err != nil || n == 2 && (err == nil || !strings.Contains(err.Error(), "no majority")) {
			t.Errorf("with %d of 3 replicas: %v", 3-n, err)
		}
		replicas[n].stop() // it leaves
		replicas[n].wait.Wait()
	}
	for _, r := range replicas {
		r.close()
	}
}
