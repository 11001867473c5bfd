package fence

import "sync"

// Again has Begin begin anew, and the holder pay meanwhile. It reports whether the kernel
// would make fences. Nobody else uses the package at the time.
func Again() bool {
	can := Begin()
	ordinary.Store(false)
	others.Store(false)
	begin = sync.OnceValue(start)
	return can
}
