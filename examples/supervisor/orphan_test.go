package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
)

// TestAlone: a client ends when the supervisor was killed, although it has never found a ledger, and although it was told
// to end before.
func TestAlone(t *testing.T) {
	for _, said := range []string{"", "end\n"} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := runChild(ctx, []string{"client", "soft", t.TempDir(), "1"}, strings.NewReader(said), io.Discard)
		if !errors.Is(err, errAlone) {
			t.Errorf("told %q: %v, want %v", said, err, errAlone)
		}
	}
}

// TestTold: a client that was told to end still makes an entry: its ledger may have been killed, and be started again.
func TestTold(t *testing.T) {
	adapter, err := rdma.Open(t.Context(), "soft", rdma.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer adapter.Close()
	dir := t.TempDir()
	in, supervisor := io.Pipe()
	defer supervisor.Close()
	told := make(chan struct{})
	go func() {
		defer close(told)
		(&child{in: supervisor}).tell()
	}()
	client := make(chan error, 1)
	go func() { client <- runChild(t.Context(), []string{"client", "soft", dir, "1"}, in, io.Discard) }()
	<-told
	ctx, cancel := context.WithCancel(t.Context())
	ledger := make(chan error, 1)
	go func() { ledger <- runLedger(ctx, adapter, dir, io.Discard) }()
	if err := <-client; err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-ledger; err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(journal(dir)); err != nil || info.Size() == 0 {
		t.Errorf("%v, %v: no entry", info, err)
	}
}
