package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// TestAReplicaIsMissing: the replicas that are there learn that there will be no leader.
func TestAReplicaIsMissing(t *testing.T) {
	ctx := t.Context()
	adapter, err := rdma.Open(ctx, "soft", rdma.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer adapter.Close()
	r, err := start(ctx, adapter, "127.0.0.1:0", func([]byte) {})
	if err != nil {
		t.Fatal(err)
	}
	_, err = dial(ctx, adapter, []string{r.addr(), "127.0.0.1:1"})
	if err == nil {
		t.Fatal("a leader without all its replicas")
	}
	if text := err.Error(); !strings.HasPrefix(text, "dial 127.0.0.1:1:") || strings.Contains(text, "\n") {
		t.Errorf("more than why it has no connection: %s", text)
	}
	r.close()
}

// TestInterrupted: the error says why the leader was to end, and not what follows from that.
func TestInterrupted(t *testing.T) {
	adapter, err := rdma.Open(t.Context(), "soft", rdma.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer adapter.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	r, err := start(t.Context(), adapter, "127.0.0.1:0", func([]byte) { cancel(enough) })
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := lead(ctx, adapter, []string{r.addr()}, 1<<20); err != enough {
		t.Errorf("%v, want that it is enough", err)
	}
	r.close()
}

// TestALeaderThatLies: an entry that is longer than the rest of the log is an error of the leader's, not a panic here.
func TestALeaderThatLies(t *testing.T) {
	adapter, err := rdma.Open(t.Context(), "soft", rdma.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer adapter.Close()
	r, err := start(t.Context(), adapter, "127.0.0.1:0", func([]byte) { t.Error("there is an entry") })
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	if err := r.take(nil, []rdma.Completion{{Immediate: 1 << 31}}); err == nil {
		t.Error("it is taken")
	}
}
