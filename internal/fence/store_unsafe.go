//go:build amd64 && !race && !godapl_noasm

package fence

import (
	"sync/atomic"
	"unsafe"
)

// ordinaryStores says that StoreRelease is less than a full fence.
const ordinaryStores = true

// link is never stored to.
var link atomic.Uint32

// StoreRelease stores v so that an atomic load that sees it also sees everything that
// was stored before.
//
// The processor keeps stores in order, and so does the compiler: for the compiler, all
// operations that write memory form one chain, and an atomic operation is a link that
// nothing passes. The load serves as that link, even if a later compiler reorders two
// ordinary stores. It must not load *p: that cache line may belong to the other
// processor, and fetching it for reading first would double the delay.
func StoreRelease(p *atomic.Uint64, v uint64) {
	link.Load()
	*(*uint64)(unsafe.Pointer(p)) = v
}
