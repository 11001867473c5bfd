//go:build !amd64 || race

package soft

import "sync/atomic"

func storeRelease(p *atomic.Uint64, v uint64) { p.Store(v) }
