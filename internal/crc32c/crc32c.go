package crc32c

import "hash/crc32"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Update is the CRC-32C of what sum was over with p behind it. The sum over
// nothing is 0.
func Update(sum uint32, p []byte) uint32 { return update(sum, p) }
