//go:build !amd64 || race || godapl_noasm

package fence

import "sync/atomic"

const ordinaryStores = false

// StoreRelease stores v so that whoever sees it, by an atomic load, also sees everything
// that was stored before.
func StoreRelease(p *atomic.Uint64, v uint64) { p.Store(v) }
