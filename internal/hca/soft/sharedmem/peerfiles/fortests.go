package peerfiles

// HoldMore adds to the number of mappings that all connections have, for tests of the bound.
func HoldMore(n int64) { peerMaps.Add(n) }
