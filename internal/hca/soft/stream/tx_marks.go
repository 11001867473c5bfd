package stream

import "github.com/godapl/godapl/internal/hca/soft/core"

// marks records which of the first entries of a sender's list are the program's memory. A list never has
// more entries: see listMost.
type marks [2]uint64

// marked is the number of entries that marks covers.
const marked = 128

// listMost is the largest length of a list: another FPDU is laid out only if there are fewer than listMax
// entries, and it adds one for its header, one for its trailer, and one for each segment of its payload.
const listMost = listMax - 1 + 2 + core.MaxSGE

// This does not compile if marks cannot cover a list.
var _ [marked - listMost]struct{}

func (m *marks) set(i int)      { m[i/64] |= 1 << (i % 64) }
func (m *marks) unset(i int)    { m[i/64] &^= 1 << (i % 64) }
func (m *marks) has(i int) bool { return m[i/64]>>(i%64)&1 != 0 }

// drop forgets the first n entries; the later ones move up.
func (m *marks) drop(n int) {
	for ; n >= 64; n -= 64 {
		m[0], m[1] = m[1], 0
	}
	m[0] = m[0]>>n | m[1]<<(64-n)
	m[1] >>= n
}
