//go:build amd64 && !race

package soft

import "sync/atomic"

// storeRelease stores v so that whoever sees it also sees everything that was
// stored before. On this processor an ordinary store does that; the one of
// sync/atomic is also a full barrier, which costs several times as much.
//
//go:noescape
func storeRelease(p *atomic.Uint64, v uint64)
