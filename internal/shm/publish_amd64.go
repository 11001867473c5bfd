//go:build amd64 && !race && !godapl_noasm

package shm

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/fence"
)

// StoreByte is [fence.StoreRelease] of one byte.
//
//go:noescape
func StoreByte(p *byte, v byte)

// storeBefore stores v. It is no fence: later operations may be executed before it,
// unless an Order stands between.
func storeBefore(p *atomic.Uint64, v uint64) { fence.StoreRelease(p, v) }
