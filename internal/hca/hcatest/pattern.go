package hcatest

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
	for i := range b {
		b[i] = v
	}
}

// other is the first position in b that is not v, or -1.
func other(b []byte, v byte) int {
	for i := range b {
		if b[i] != v {
			return i
		}
	}
	return -1
}
