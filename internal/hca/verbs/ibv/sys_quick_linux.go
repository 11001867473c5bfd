//go:build (amd64 || arm64) && !go1.27

package ibv

import "unsafe"

// asmcgocall calls a C function of one argument on the thread's own stack;
// runtime.cgocall ends in it: see quick_linux_amd64.s. The runtime does not guarantee
// it, hence the limit on Go's version above. With later versions all calls are
// cgocalls.
//
//go:noescape
func asmcgocall(fn uintptr, arg unsafe.Pointer) int32

// quick makes the call as cross does, but keeps the goroutine's share of the
// processors, as syscall.RawSyscall does: a third of cross's time. It is for functions
// that never wait, and that do not call Go. While it runs, a collection of garbage
// that wants to begin waits for it.
func (c *crossing) quick() {
	if c.inGo() {
		return
	}
	count()
	asmcgocall(crossAddr, unsafe.Pointer(c))
}
