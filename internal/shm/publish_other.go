//go:build !amd64 || race || godapl_noasm

package shm

import "sync/atomic"

// StoreRelease stores v so that whoever sees it also sees everything that was
// stored before.
func StoreRelease(p *atomic.Uint64, v uint64) { p.Store(v) }

// storeBefore stores v, before any atomic load that comes after it.
func storeBefore(p *atomic.Uint64, v uint64) { p.Store(v) }
