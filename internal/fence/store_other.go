//go:build !amd64 || race || godapl_noasm

package fence

import "sync/atomic"

const ordinaryStores = false

// StoreRelease stores v so that an atomic load that sees it also sees everything that
// was stored before.
func StoreRelease(p *atomic.Uint64, v uint64) { p.Store(v) }
