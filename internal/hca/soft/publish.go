package soft

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/fence"
)

// storeRelease stores v so that whoever sees it also sees everything that was
// stored before.
func storeRelease(p *atomic.Uint64, v uint64) { fence.StoreRelease(p, v) }
