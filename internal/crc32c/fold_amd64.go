package crc32c

import (
	"hash/crc32"

	"golang.org/x/sys/cpu"
)

// The standard library sums 8 bytes an instruction. Processors that multiply
// polynomials in vectors do 256 bytes in eight: what is long is folded, 256
// bytes onto the next 256, which leaves the remainder by the CRC's polynomial
// as it is.

var folds = cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512VPCLMULQDQ && cpu.X86.HasSSE42

const (
	foldUnit = 256
	foldMin  = 1024 // below, the standard library is as fast
	shortMax = 256  // up to there, most of its time goes to choosing a way
)

// powers are what the two halves of 128 bits are multiplied by to get over a
// distance of 256, 64 and 16 bytes, and what a CRC is multiplied by to get over a
// piece of what is woven.
type powers [7]uint64

func newPowers(piece int) *powers {
	return &powers{
		power(2048 + 31), power(2048 - 33), power(512 + 31), power(512 - 33), power(128 + 31), power(128 - 33),
		power(8*piece - 33),
	}
}

// A weft is what is woven at a time: a folded part, and three pieces behind it.
type weft struct {
	turns, size int
	k           *powers
}

func newWeft(turns int) weft {
	const perTurn = 40 // bytes of each of the three
	return weft{turns, foldUnit + turns*(foldUnit+3*perTurn), newPowers(turns * perTurn)}
}

// wefts are of two lengths: one that fits into what a segment of an RDMA stream
// carries, and one for what is shorter, and for the rest.
var wefts = [...]weft{newWeft(170), newWeft(30)}

// power is x to the n modulo the polynomial, with the lowest power in the highest
// of 32 bits, as the CRC has it. A product of two such numbers, of 64 and 32 bits,
// in 128 is x to the 33rd times too much: hence the odd exponents. So is the product of
// two of 32 bits in 64.
func power(n int) uint64 {
	v := uint32(1) << 31
	for range n % 8 {
		v = v>>1 ^ -(v&1)&crc32.Castagnoli
	}
	// A byte of zeros is eight of these steps, and some are thousands of bytes.
	return uint64(^crc32.Update(^v, castagnoli, make([]byte, n/8)))
}

// fold is the CRC of p behind sum, both without the inversions at begin and end.
// The length of p is a multiple of foldUnit, and not 0.
//
//go:noescape
func fold(sum uint32, p []byte, k *powers) uint32

// weave is fold of what comes first and three pieces behind it: see weft.
//
//go:noescape
func weave(sum uint32, p *byte, turns uint64, k *powers) uint32

// short is update for what is short: one instruction for each eight bytes, and no
// more. The processor must have SSE 4.2.
//
//go:noescape
func short(sum uint32, p []byte) uint32

func update(sum uint32, p []byte) uint32 {
	if len(p) <= shortMax && cpu.X86.HasSSE42 {
		return short(sum, p)
	}
	if len(p) >= foldMin && folds {
		sum = ^sum
		for i := range wefts {
			for w := &wefts[i]; len(p) >= w.size; p = p[w.size:] {
				sum = weave(sum, &p[0], uint64(w.turns), w.k)
			}
		}
		if n := len(p) &^ (foldUnit - 1); n > 0 {
			sum = fold(sum, p[:n], wefts[0].k)
			p = p[n:]
		}
		sum = ^sum
	}
	return crc32.Update(sum, castagnoli, p)
}
