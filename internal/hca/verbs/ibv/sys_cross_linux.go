//go:build amd64 || arm64

package ibv

import (
	"unsafe"

	_ "github.com/ebitengine/purego" // makes the runtime able to call C without cgo
)

// crossAddr is the address of a C function of this package: see
// cross_linux_amd64.s.
var crossAddr uintptr

// errnoLocation is __errno_location, set before any Lib is there.
var errnoLocation uintptr

// cgocall calls a C function of one argument on the thread's own stack. The runtime
// guarantees this name and type to packages that call C without cgo. purego's SyscallN
// also ends here, but moves thirty-two arguments, eight of them twice, where three or
// five are needed.
//
//go:linkname cgocall runtime.cgocall
func cgocall(fn uintptr, arg unsafe.Pointer) int32

// cross makes the call.
func (c *crossing) cross() {
	if c.inGo() {
		return
	}
	count()
	cgocall(crossAddr, unsafe.Pointer(c))
}

// withErrno makes the call and tells its errno: asking in a second call would be
// too late, since the goroutine may be on another thread by then, or the thread
// have done other things.
func (c *crossing) withErrno() {
	c.location = errnoLocation
	c.cross()
}
