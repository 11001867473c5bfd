package stream_test

import (
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/internal/stream"
)

// TestSendMemoryGrows in few steps while all of it is in use, up to its limit, and at once for more than all of it.
func TestSendMemoryGrows(t *testing.T) {
	a, err := rdma.Open(t.Context(), "soft-loop", rdma.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	zone, err := a.NewZone()
	if err != nil {
		t.Fatal(err)
	}
	room := func(b *stream.SendBuffer, want, size int) []byte {
		t.Helper()
		bytes, err := b.Room(want)
		if err != nil || b.Size() != size {
			t.Fatalf("%v; the memory has %d bytes, want %d", err, b.Size(), size)
		}
		return bytes
	}
	b := stream.SendBuffer{Zone: zone, Most: 500 << 10}
	for _, size := range []int{16 << 10, 64 << 10, 256 << 10, 500 << 10} {
		b.Take(len(room(&b, 1, size)))
		b.Release(b.Posted) // the former memory, if any, is free
		b.Take(len(room(&b, size, size)))
	}
	room(&b, 1, 500<<10)
	b.Release(b.Posted)
	b.Free()
	long := stream.SendBuffer{Zone: zone, Most: 500 << 10}
	room(&long, 100<<10, 128<<10)
	long.Free()
}
