package stream_test

import (
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/internal/stream"
)

// TestNumbersOfBytesWrap: 5 GiB go through, more than the numbers of bytes count. Some are always on their way.
func TestNumbersOfBytesWrap(t *testing.T) {
	a, err := rdma.Open(t.Context(), "soft-loop", rdma.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	zone, err := a.NewZone()
	if err != nil {
		t.Fatal(err)
	}
	b := stream.SendBuffer{Zone: zone, Most: 1 << 20}
	defer b.Free()
	for total := uint64(0); total < 5<<30; {
		before := b.Posted
		p, err := b.Room(256 << 10)
		if err != nil || len(p) == 0 {
			t.Fatalf("behind %d bytes there is room for %d: %v", total, len(p), err)
		}
		b.Take(len(p))
		total += uint64(len(p))
		if b.Under() > b.Size() {
			t.Fatalf("behind %d bytes %d are on their way, of %d", total, b.Under(), b.Size())
		}
		b.Release(before)
	}
}
