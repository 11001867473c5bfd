package main

import (
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
	if _, err := dial(ctx, adapter, []string{r.addr(), "127.0.0.1:1"}); err == nil {
		t.Error("a leader without all its replicas")
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
