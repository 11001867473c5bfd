package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/godapl/godapl/rdma"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestReadersBesideAWriter: run fails if a value is not whole or goes back.
func TestReadersBesideAWriter(t *testing.T) {
	for _, adapter := range []string{"soft", "soft-tcp"} {
		t.Run(adapter, func(t *testing.T) {
			var out bytes.Buffer
			if err := run(context.Background(), []string{"-adapter", adapter, "-reads", "200"}, &out, io.Discard); err != nil {
				t.Fatal(err)
			}
			var reads, changes int
			if _, err := fmt.Sscanf(out.String(), "%d reads of a value that changed %d times", &reads, &changes); err != nil || reads < 800 || changes == 0 {
				t.Errorf("%v: %s", err, &out)
			}
		})
	}
}

// TestIPv6: the host may be an address of IPv6.
func TestIPv6(t *testing.T) {
	if err := run(t.Context(), []string{"-adapter", "soft-loop", "-host", "::1", "-reads", "10"}, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
}

// TestStore has one client do all there is to do.
func TestStore(t *testing.T) {
	ctx := t.Context()
	adapter, err := rdma.Open(ctx, "soft", rdma.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer adapter.Close()
	s, err := open(ctx, adapter, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	c, err := dial(ctx, adapter, s.addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for i := range 1000 {
		if err := c.put(ctx, fmt.Sprint("key ", i), fmt.Sprint("value ", i)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 1000 {
		got, _, err := c.get(ctx, fmt.Sprint("key ", i))
		if err != nil || got != fmt.Sprint("value ", i) {
			t.Fatalf("%d: %q, %v", i, got, err)
		}
	}
	if _, _, err := c.get(ctx, "another"); !errors.Is(err, errNotFound) {
		t.Errorf("a key that is not there: %v", err)
	}
	if err := c.put(ctx, "", "x"); !errors.Is(err, errTooLong) {
		t.Errorf("an empty key: %v", err)
	}
	if _, err := c.conn.Write(ctx, c.memory.Slice(0, 8), c.table.Slice(0, 8)); !errors.Is(err, rdma.ErrWork) {
		t.Errorf("a write into the table: %v", err)
	}
}

// TestTornIsSeen: a slot with bytes of two versions is not whole, wherever they are.
func TestTornIsSeen(t *testing.T) {
	older, _ := compose(1, "key", strings.Repeat("a", 200))
	newer, _ := compose(2, "key", strings.Repeat("b", 200))
	for cut := 1; cut < slotSize; cut++ {
		torn := append(bytes.Clone(newer[:cut]), older[cut:]...)
		if bytes.Equal(torn, older) || bytes.Equal(torn, newer) {
			continue
		}
		if _, _, _, err := slot(torn).read(); err != errTorn {
			t.Errorf("the first %d bytes are new: %v", cut, err)
		}
	}
}
