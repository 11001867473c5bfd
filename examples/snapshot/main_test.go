package main

import (
	"bytes"
	"context"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestSnapshotsAreWhole reads while the owner writes. run fails if a snapshot has bytes
// of two versions, or goes back.
func TestSnapshotsAreWhole(t *testing.T) {
	for _, name := range []string{"soft-loop", "soft-tcp"} {
		if err := run(context.Background(), name, 300); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTornIsSeen: a record with bytes of another version is not whole, wherever they are.
func TestTornIsSeen(t *testing.T) {
	older, newer := make([]byte, recordSize), make([]byte, recordSize)
	compose(older, 1, bytes.Repeat([]byte{1}, dataSize))
	compose(newer, 2, bytes.Repeat([]byte{2}, dataSize))
	if !whole(older) || !whole(newer) {
		t.Fatal("a composed record is not whole")
	}
	for cut := 1; cut < recordSize; cut += 997 {
		torn := append(bytes.Clone(newer[:cut]), older[cut:]...)
		if whole(torn) && !bytes.Equal(torn, older) && !bytes.Equal(torn, newer) {
			t.Errorf("the first %d bytes are new and the others old, and it passes for whole", cut)
		}
	}
}
