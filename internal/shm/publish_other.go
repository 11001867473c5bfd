//go:build !amd64 || race || godapl_noasm

package shm

import "sync/atomic"

// storeBefore stores v, before any atomic load that comes after it.
func storeBefore(p *atomic.Uint64, v uint64) { p.Store(v) }
