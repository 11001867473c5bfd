package crc32c

// lengths are those at which the way of summing changes.
func lengths() (n []int) {
	for _, w := range chunks {
		n = append(n, w.size, 2*w.size, w.size+foldUnit)
	}
	return append(n, chunks[0].size+chunks[1].size, shortMax, foldMin)
}
