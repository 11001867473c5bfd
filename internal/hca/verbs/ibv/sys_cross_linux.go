//go:build amd64 || arm64

package ibv

import "github.com/ebitengine/purego"

// withErrnoAddr is the address of a C function of this package: see
// errno_linux_amd64.s.
var withErrnoAddr uintptr

// errnoLocation is __errno_location, set before any Lib is there.
var errnoLocation uintptr

// cross calls a C function whose value says all that there is to know.
func cross(fn uintptr, args []uintptr) result {
	count()
	v, _, _ := purego.SyscallN(fn, args...)
	return result{value: v}
}

// cross calls a C function that may set errno. On Linux purego does not say
// what errno is, and asking in a second call would be too late: the goroutine
// may be on another thread by then, or the thread have done other things. So
// the call goes through withErrno, which hands errno back as the second result.
func (a *callArgs) cross(fn uintptr) result {
	count()
	a[0], a[6] = fn, errnoLocation
	v, e, _ := purego.SyscallN(withErrnoAddr, a[:]...)
	return result{v, e}
}
