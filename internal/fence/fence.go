package fence

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// others reports whether goroutines that leave a mark ask the kernel for the fence;
// ordinary reports whether holders rely on it. Both are set once, in this order: see
// Begin.
var others, ordinary atomic.Bool

// Begin has the kernel make fences in this process from here on, if it can, and says
// whether it does. The first call takes some milliseconds. It may be called at any time.
func Begin() bool { return begin() }

var begin = sync.OnceValue(start)

func start() bool {
	if !register() {
		return false
	}
	if ordinaryStores {
		// A goroutine that leaves a mark and sees others unset has looked before
		// ordinary was set, and so before any holder relied on it: see Other.
		others.Store(true)
		ordinary.Store(true)
	}
	return true
}

// StoreThenLook stores v like [StoreRelease]. In the view of a goroutine that calls
// [Other], the caller's later atomic loads are executed after this store.
func StoreThenLook(p *atomic.Uint64, v uint64) {
	if ordinary.Load() {
		StoreRelease(p, v)
	} else {
		p.Store(v)
	}
}

// Other is the counterpart of [StoreThenLook]. The caller has left a mark with an
// atomic operation; look loads, atomically, the word that StoreThenLook stores. At
// least one side sees the other's store: look finds the stored value, or the goroutine
// that calls StoreThenLook finds the mark. Other returns the result of look, and may
// call it twice.
func Other(look func() bool) bool {
	for {
		asks := others.Load()
		if asks && !Barrier() {
			// The program has forbidden itself a call that it could make before. This
			// stops all goroutines for a moment, and none without a fence.
			runtime.ReadMemStats(new(runtime.MemStats))
		}
		if look() {
			return true
		}
		if asks || !others.Load() {
			return false
		}
	}
}
