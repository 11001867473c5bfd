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

// StoreRelease stores v so that whoever sees it, by an atomic load, also sees everything
// that was stored before.
//
// The processor keeps stores in order, and so does the compiler: all that writes memory
// is one chain to it, in which an atomic operation is a link that nothing passes. The load
// is there to be that link, whatever a later compiler makes of two ordinary stores. It
// must not be one of *p: that line may be the other processor's, and to fetch it for
// reading first would double the way.
func StoreRelease(p *atomic.Uint64, v uint64) {
	link.Load()
	*(*uint64)(unsafe.Pointer(p)) = v
}
