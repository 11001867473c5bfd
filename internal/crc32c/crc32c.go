package crc32c

import "hash/crc32"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Update returns the CRC-32C of the data that sum covers followed by p. The CRC of no
// data is 0.
func Update(sum uint32, p []byte) uint32 { return update(sum, p) }
