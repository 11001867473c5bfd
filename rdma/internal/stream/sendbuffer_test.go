package stream_test

import (
	"testing"

	"github.com/godapl/godapl/rdma/internal/stream"
	"github.com/godapl/godapl/rdma/internal/stream/streamtest"
)

// TestSendMemoryGrows in few steps while all of it is in use, up to its limit, and at once for more than all of it.
func TestSendMemoryGrows(t *testing.T) {
	zone, err := streamtest.Open(t, "soft-loop").NewZone()
	streamtest.Must(t, err)
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

// TestNumbersOfBytesWrap: 5 GiB go through, more than the numbers of bytes count. Some are always on their way.
func TestNumbersOfBytesWrap(t *testing.T) {
	zone, err := streamtest.Open(t, "soft-loop").NewZone()
	streamtest.Must(t, err)
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
