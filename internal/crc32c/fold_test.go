package crc32c

import (
	"hash/crc32"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestUpdate: however the CRC is computed, it is the standard library's, at each
// length and alignment, from each sum so far.
func TestUpdate(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 200<<10)
	for i := range b {
		b[i] = byte(rnd.Uint32())
	}
	check := func(p []byte) {
		t.Helper()
		sum := rnd.Uint32()
		if got, want := Update(sum, p), crc32.Update(sum, castagnoli, p); got != want {
			t.Fatalf("%d bytes behind %08x: %08x, want %08x", len(p), sum, got, want)
		}
	}
	for n := range 3000 {
		at := rnd.IntN(64)
		check(b[at : at+n])
	}
	for range 500 {
		from := rnd.IntN(len(b))
		check(b[from : from+rnd.IntN(len(b)-from)])
	}
	for _, n := range lengths() {
		for d := -1; d <= 1; d++ {
			at := rnd.IntN(64)
			check(b[at : at+n+d])
		}
	}
	check(b)
	check(make([]byte, 64<<10))
}

func BenchmarkUpdate(b *testing.B) {
	for _, n := range []int{64, 1024, 4096, 64 << 10, 1 << 20} {
		p := make([]byte, n)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				Update(0, p)
			}
		})
		b.Run(strconv.Itoa(n)+"/hash", func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				crc32.Checksum(p, castagnoli)
			}
		})
	}
}
