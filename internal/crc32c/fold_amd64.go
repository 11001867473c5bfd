package crc32c

import (
	"hash/crc32"

	"golang.org/x/sys/cpu"
)

// The standard library processes 8 bytes per instruction. Processors with carry-less
// multiplication of vectors process 256 bytes in eight: long data is folded, 256 bytes
// onto the next 256, which preserves the remainder modulo the CRC's polynomial.

var folds = cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512VPCLMULQDQ && cpu.X86.HasSSE42

const (
	foldUnit = 256
	foldMin  = 1024 // below, the standard library is as fast
	shortMax = 256  // up to there, most of its time goes to choosing a way
)

// powers are the factors that shift the two halves of 128 bits over a distance of 256,
// 64 and 16 bytes, and a CRC over one piece of a chunk.
type powers [7]uint64

func newPowers(piece int) *powers {
	return &powers{
		power(2048 + 31), power(2048 - 33), power(512 + 31), power(512 - 33), power(128 + 31), power(128 - 33),
		power(8*piece - 33),
	}
}

// A chunk is processed at once: a folded part, and three pieces after it that are
// summed with CRC instructions.
type chunk struct {
	rounds, size int
	k            *powers
}

func newChunk(rounds int) chunk {
	const perRound = 40 // bytes of each of the three
	return chunk{rounds, foldUnit + rounds*(foldUnit+3*perRound), newPowers(rounds * perRound)}
}

// chunks has two lengths: one for the payload of an RDMA segment, and one for shorter
// data and the remainder.
var chunks = [...]chunk{newChunk(170), newChunk(30)}

// power is x to the power of n modulo the polynomial, with the lowest power in the
// highest of 32 bits, as in the CRC. The product of two such numbers, of 64 and 32 bits,
// in 128 bits is too large by a factor of x to the power of 33; that is why the exponents
// are odd. The same holds for the product of two 32-bit numbers in 64 bits.
func power(n int) uint64 {
	v := uint32(1) << 31
	for range n % 8 {
		v = v>>1 ^ -(v&1)&crc32.Castagnoli
	}
	// A zero byte is eight of these steps, and a shift covers thousands of bytes.
	return uint64(^crc32.Update(^v, castagnoli, make([]byte, n/8)))
}

// fold is the CRC of p continued from sum, both without the inversions at begin and
// end. The length of p is a multiple of foldUnit, and not 0.
//
//go:noescape
func fold(sum uint32, p []byte, k *powers) uint32

// interleave is fold of the first part of a chunk combined with its three pieces: see
// chunk.
//
//go:noescape
func interleave(sum uint32, p *byte, rounds uint64, k *powers) uint32

// updateShort is Update for short data: one instruction for each eight bytes. The
// processor must have SSE 4.2.
//
//go:noescape
func updateShort(sum uint32, p []byte) uint32

func update(sum uint32, p []byte) uint32 {
	if len(p) <= shortMax && cpu.X86.HasSSE42 {
		return updateShort(sum, p)
	}
	if len(p) >= foldMin && folds {
		sum = ^sum
		for i := range chunks {
			for w := &chunks[i]; len(p) >= w.size; p = p[w.size:] {
				sum = interleave(sum, &p[0], uint64(w.rounds), w.k)
			}
		}
		if n := len(p) &^ (foldUnit - 1); n > 0 {
			sum = fold(sum, p[:n], chunks[0].k)
			p = p[n:]
		}
		sum = ^sum
	}
	return crc32.Update(sum, castagnoli, p)
}
