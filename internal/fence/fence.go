package fence

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// others is whether those who leave word ask the kernel for the fence, ordinary whether
// holders rely on it. Both are set once, in this order: see Begin.
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
		// One who leaves word and has not seen the first word set has looked before the
		// second was, and with that before any holder relied on it: see Other.
		others.Store(true)
		ordinary.Store(true)
	}
	return true
}

// StoreThenLook stores v as [StoreRelease] does. What the caller loads behind it, by an
// atomic load, is not loaded before v is stored, as far as those can tell who call [Other].
func StoreThenLook(p *atomic.Uint64, v uint64) {
	if ordinary.Load() {
		StoreRelease(p, v)
	} else {
		p.Store(v)
	}
}

// Other is the other side of [StoreThenLook]. The caller has left word by an atomic
// operation; look loads what StoreThenLook stores, by another one. Of the two sides one
// sees what the other has stored: look finds it, or whoever stores it next, or has just
// stored it, finds the word. Other returns what look does, and may call it twice.
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
