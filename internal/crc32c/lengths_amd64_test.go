package crc32c

// lengths are those at which the way of summing changes.
func lengths() (n []int) {
	for _, w := range wefts {
		n = append(n, w.size, 2*w.size, w.size+foldUnit)
	}
	return append(n, wefts[0].size+wefts[1].size, shortMax, foldMin)
}
