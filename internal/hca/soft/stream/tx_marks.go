package stream

import "github.com/godapl/godapl/internal/hca/soft/core"

// marks tells which of the first entries of a sender's list are the program's memory.
// A list has fewer: see listMost.
type marks [2]uint64

// marked is how many entries marks can tell apart.
const marked = 128

// listMost is how long a list can become: one more FPDU is laid out as long as there are
// fewer than listMax entries, and it has one for its header, one for its trailer, and one
// for each segment of its payload.
const listMost = listMax - 1 + 2 + core.MaxSGE

// A list that marks cannot cover does not compile.
var _ [marked - listMost]struct{}

func (m *marks) set(i int) { m[i/64] |= 1 << (i % 64) }

func (m *marks) unset(i int) { m[i/64] &^= 1 << (i % 64) }

func (m *marks) has(i int) bool { return m[i/64]>>(i%64)&1 != 0 }

// drop forgets the first n entries: those behind them move up.
func (m *marks) drop(n int) {
	for ; n >= 64; n -= 64 {
		m[0], m[1] = m[1], 0
	}
	m[0] = m[0]>>n | m[1]<<(64-n)
	m[1] >>= n
}
