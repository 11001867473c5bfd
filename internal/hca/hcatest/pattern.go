package hcatest

import "bytes"

// pattern is the byte at position i of the data named by seed. Neighbouring
// bytes, positions and seeds differ.
func pattern(seed, i int) byte { return byte(seed*131 + i*7 + i>>8*13 + 1) }

func fill(b []byte, seed int) {
	for i := range b {
		b[i] = pattern(seed, i)
	}
}

// differs is the first position at which b is not the data named by seed, or -1.
func differs(b []byte, seed int) int {
	for i := range b {
		if b[i] != pattern(seed, i) {
			return i
		}
	}
	return -1
}

func paint(b []byte, v byte) {
	if len(b) == 0 {
		return
	}
	b[0] = v
	for n := 1; n < len(b); n *= 2 { // much faster than byte by byte, especially with the race detector
		copy(b[n:], b[:n])
	}
}

// other is the first position in b that is not v, or -1.
func other(b []byte, v byte) int {
	if len(b) > 0 && b[0] == v && bytes.Equal(b[1:], b[:len(b)-1]) {
		return -1
	}
	for i := range b {
		if b[i] != v {
			return i
		}
	}
	return -1
}
