package sharedmem

import (
	"math/rand/v2"
	"testing"
)

// TestBulkBytesBeyond4GiB: the ends of the frames are kept in 32 bits. No frame gets bytes that the peer has not handled
// when more than that has gone through the bulk area, and none waits for ever.
func TestBulkBytesBeyond4GiB(t *testing.T) {
	out, in := rings(t)
	out.head, out.tail = 1<<32-3*bulkSize, 1<<32-3*bulkSize
	draw := rand.New(rand.NewPCG(1, 2))
	var under [][2]uint64 // of the frames that are not handled
	for out.tail < 1<<32+3*bulkSize || len(under) > 0 {
		n := 1 + draw.IntN(chunkSize)
		slot, data, at, err := out.room(n)
		if err != nil {
			t.Fatal(err)
		}
		if slot != nil && out.tail < 1<<32+3*bulkSize {
			from, to := uint64(at), uint64(at)+uint64(len(data))
			for _, x := range under {
				if from < x[1] && x[0] < to {
					t.Fatalf("bytes %d to %d, of which %d to %d are in use", from, to, x[0], x[1])
				}
			}
			f := frame{n: uint32(n), off: at}
			out.commit(frameData, 0, f.put(slot), n)
			under = append(under, [2]uint64{from, to})
			continue
		}
		if len(under) == 0 {
			t.Fatalf("no room for %d bytes in an empty area, from %#x to %#x", n, out.head, out.tail)
		}
		for range 1 + draw.IntN(len(under)) {
			if ok, err := in.next(); !ok || err != nil {
				t.Fatal(ok, err)
			}
			in.done()
			under = under[1:]
		}
		in.release()
		if err := out.collect(); err != nil {
			t.Fatal(err)
		}
	}
}
