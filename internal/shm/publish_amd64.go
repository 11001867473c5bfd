//go:build amd64 && !race && !godapl_noasm

package shm

import "sync/atomic"

// StoreRelease stores v so that whoever sees it also sees everything that was
// stored before. On this processor an ordinary store does that; the one of
// sync/atomic is also a full barrier, which costs several times as much.
//
//go:noescape
func StoreRelease(p *atomic.Uint64, v uint64)

// StoreByte is [StoreRelease] of one byte.
//
//go:noescape
func StoreByte(p *byte, v byte)

// storeBefore stores v. It is no fence: what comes after it may be done before,
// unless an Order stands between.
func storeBefore(p *atomic.Uint64, v uint64) { StoreRelease(p, v) }
